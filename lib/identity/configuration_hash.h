#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace identity {

// A number that changes with the files that a worker reads when it starts: the secret and "files";
// never 0. All programs of a host that are configured by the same files get the same one.
// Errors: config::Error - a file cannot be read.
[[nodiscard]] std::uint64_t configuration_hash_of(const std::filesystem::path& secret_file,
                                                  std::span<const std::string> files);

}  // namespace identity
