#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace identity {

// The site's secret, as keys for each use, so that none can stand in for another.
struct Keys {
  std::string voter_cookie = {};
  std::string new_voter = {};  // ids of voters who bring no proof
  std::string address = {};
  std::string proofs = {};    // of passwords that were found right
  std::string counters = {};  // names of what the rules count of addresses
  std::string agent = {};
  std::string imports = {};  // who the anonymous voters of other plugins are
  // Ids of voters who bring a device token. The same for all secrets of a file, so that the voters
  // stay the same when the secret is rotated.
  std::string device = {};
};

// The keys in use, first, and those of the secret before it while it is being replaced.
using KeyRing = std::vector<Keys>;

inline constexpr std::size_t kSecretBytes = 32;

// Reads a secret file: one or two lines of 64 hexadecimal digits, the newer secret first, and a
// line "device-token <64 hexadecimal digits>", the key of device tokens. Files of version 0.1 lack
// that line; the key is then derived from the older secret. Throws std::runtime_error that says
// what is wrong with the file and what to run.
[[nodiscard]] KeyRing read_secrets(const std::filesystem::path& file);

// Puts a new secret in front of the only one, which stays valid. The key of device tokens stays,
// and gets a line if it has none. The file is replaced at once; of a symbolic link, the file that
// it names. Throws std::runtime_error, also where there are two secrets already; then the file is
// as before.
void rotate_secret(const std::filesystem::path& file);

// Removes the older of two secrets. Otherwise as rotate_secret().
void retire_secret(const std::filesystem::path& file);

// Makes a secret file with mode 0640. Throws std::runtime_error when it cannot, or when there is
// one already.
void make_secret(const std::filesystem::path& file);

}  // namespace identity
