// Fuzzes lines in the result of SHOW GRANTS.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/grants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  const auto grant = store::read_grant(line);
  if (grant && grant->privileges.empty()) std::abort();

  // An allowed privilege is never reported as excessive.
  if (grant && !grant->taken && !grant->grantable &&
      !store::privileges_beyond(grant->privileges, {line}).empty()) {
    std::abort();
  }
  // privileges_beyond() must report each line that it does not understand.
  const bool harmless = line.starts_with("REVOKE ") || line.starts_with("SET DEFAULT ROLE ");
  if (!grant && !harmless && store::privileges_beyond({}, {line}).size() != 1) std::abort();
  return 0;
}
