#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "identity/ticket_key.h"

namespace identity {

// --- The secret file ----------------------------------------------------------------------------

inline constexpr std::size_t kSecretBytes = 32;

// What a secret file holds. Each line is one of:
//
//   <64 hexadecimal digits>                a secret; one or two, the newer first
//   device-token <64 hexadecimal digits>   the key of device tokens; none in files of version 0.1
//   ticket-key NAME ...                    a key of tickets (ticket_key.h); at most 64
//   removed-ticket-key NAME                the name of a key that was removed; not in version 0.2.0
struct SecretFile {
  std::vector<std::string> secrets = {};
  std::optional<std::string> device_key = {};
  std::vector<TicketKey> ticket_keys = {};  // those added first come first
  // Names without a key, the one removed first comes first: their tickets are refused, not ignored.
  std::vector<std::string> removed_ticket_keys = {};

  bool operator==(const SecretFile&) const = default;
};

// Parses all of a secret file. Errors: a sentence with the number of the line and what is allowed;
// it contains no key.
[[nodiscard]] tl::expected<SecretFile, std::string> parse_secret_file(std::string_view text);

// The inverse of parse_secret_file().
[[nodiscard]] std::string text_of(const SecretFile& content);

// All of these throw std::runtime_error that names the file, the problem and the command to run.

[[nodiscard]] SecretFile read_secret_file(const std::filesystem::path& file);

// Creates the file with mode 0640. Errors: also if it exists.
void create_secret_file(const std::filesystem::path& file, const SecretFile& content);

// Reads the file, lets "change" change its content, and replaces it atomically; keeps mode and
// owners. If it is a symbolic link, its target is replaced. Blocks while another program changes
// it, so no change is lost. Errors: also what "change" throws; the file is then unchanged.
void change_secret_file(const std::filesystem::path& file,
                        const std::function<void(SecretFile&)>& change);

// Adds or removes a key of tickets; the last 64 removed names are remembered. Errors: also if the
// key cannot be added (refusal_to_add()), or is not there. The file is then unchanged.
void add_ticket_key(const std::filesystem::path& file, const TicketKey& key);
void remove_ticket_key(const std::filesystem::path& file, const TicketKey& key);

// --- Its secrets --------------------------------------------------------------------------------

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
  // Ids of voters who are recognized by their network only. Derived from the key of device tokens,
  // too.
  std::string network = {};
  std::string health = {};  // challenge_response()
};

// The current keys first, then those of the previous secret during a rotation.
using KeyRing = std::vector<Keys>;

// The keys from a secret file. Files of version 0.1 have no key of device tokens; it is then
// derived from the older secret. "site": of a network whose sites share the file; all but the first
// have keys of their own, so that no voter of one site is one of another.
[[nodiscard]] KeyRing keys_of(const SecretFile& content, unsigned site = 1);

// As keys_of(), from the file. Throws std::runtime_error that names the problem and the command to
// run.
[[nodiscard]] KeyRing read_secrets(const std::filesystem::path& file, unsigned site = 1);

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
