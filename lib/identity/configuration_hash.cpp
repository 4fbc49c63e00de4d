#include "identity/configuration_hash.h"

#include <array>
#include <string>

#include "base/keyed_hash.h"
#include "config/given_options.h"

namespace identity {

// A process that may read the result, in the workers' memory, may read the files, too.
std::uint64_t configuration_hash_of(const std::filesystem::path& secret_file,
                                    std::span<const std::string> files) {
  static constexpr std::array<std::uint64_t, 2> kKey{};
  std::string all = config::read_file({secret_file.string(), "secret-file"});
  for (const std::string& file : files) all += '\0' + config::read_foreign_file({file, file});
  return base::KeyedHash(kKey)(all) | 1U;
}

}  // namespace identity
