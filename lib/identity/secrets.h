#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace identity {

// The site's secret, as keys for each use, so that none can stand in for another.
struct Keys {
  std::string voter_cookie = {};
  std::string fingerprint = {};
  std::string address = {};
  std::string proofs = {};    // of passwords that were found right
  std::string counters = {};  // names of what the rules count of addresses
  std::string agent = {};
  std::string imports = {};  // who the anonymous voters of other plugins are
};

// The keys in use, first, and those of the secret before it while it is being replaced.
using KeyRing = std::vector<Keys>;

inline constexpr std::size_t kSecretBytes = 32;

// Reads a secret file: one or two lines of 64 hexadecimal digits, the newer first.
// Throws std::runtime_error that says what is wrong with the file and what to run.
[[nodiscard]] KeyRing read_secrets(const std::filesystem::path& file);

// Makes a secret file with mode 0640. Throws std::runtime_error when it cannot, or when there is
// one already.
void make_secret(const std::filesystem::path& file);

}  // namespace identity
