#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace identity {

// Keys derived from the site's secret, one per purpose.
struct Keys {
  std::string voter_cookie = {};
  std::string new_voter = {};  // ids of voters without cookie and token
  std::string address = {};
  std::string counters = {};  // names of the rules' counters per address
  std::string agent = {};
  std::string imports = {};  // ids of imported anonymous voters
  // Ids of voters with a device token. The same key for all secrets of a file, so voters keep their
  // ids when the secret is rotated.
  std::string device = {};
  // Ids of visitors of other front ends. Derived from the key of device tokens, so they are kept as
  // well.
  std::string visitor = {};
  std::string health = {};  // challenge_response()
};

// The current keys first, then those of the previous secret during a rotation.
using KeyRing = std::vector<Keys>;

// Reads the secrets of a secret file, whose format is in secret_file.h. Files of version 0.1 have
// no key of device tokens; it is then derived from the older secret. Throws std::runtime_error that
// names the problem and the command to run.
[[nodiscard]] KeyRing read_secrets(const std::filesystem::path& file);

// The answer to a challenge, by which a client that has the secret knows that workers of its own
// site answered: 64 hexadecimal digits. The key has no other use.
[[nodiscard]] std::string challenge_response(const Keys& keys, std::string_view challenge);

// Adds a new secret before the current one, which stays valid. The key of device tokens and the
// ticket keys do not change; if the file has no line for the former, one is written. The file is
// replaced atomically; if it is a symbolic link, its target is. Throws std::runtime_error, also if
// there are two secrets already; the file is then unchanged.
void rotate_secret(const std::filesystem::path& file);

// Removes the older of two secrets. Otherwise as rotate_secret().
void retire_secret(const std::filesystem::path& file);

// Creates a secret file with mode 0640. Throws std::runtime_error if that fails or the file exists.
void make_secret(const std::filesystem::path& file);

}  // namespace identity
