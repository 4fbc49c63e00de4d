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

// The content of a secret file. Each line has one of these forms:
//
//   <64 hexadecimal digits>
//   device-token <64 hexadecimal digits>
//   ticket-key NAME ...
//   removed-ticket-key NAME
//
// The first form is a secret. A file contains one or two secrets, the newer secret first. The
// "device-token" line, which version 0.1 does not write, contains the device token key. A file
// contains at most 64 ticket keys (ticket_key.h). A "removed-ticket-key" line, which version 0.2.0
// does not write, contains the name of a removed key.
struct SecretFile {
  std::vector<std::string> secrets = {};
  std::optional<std::string> device_key = {};
  std::vector<TicketKey> ticket_keys = {};  // in the order in which they were added
  // The names of removed keys, in the order of removal. Tickets for removed keys are rejected,
  // whereas tickets with unknown key names are ignored.
  std::vector<std::string> removed_ticket_keys = {};

  bool operator==(const SecretFile&) const = default;
};

// Parses a whole secret file. If the text is invalid, returns a message with the line number and
// the allowed content. The message does not reveal any key.
[[nodiscard]] tl::expected<SecretFile, std::string> parse_secret_file(std::string_view text);

// The inverse of parse_secret_file(): returns the text of a secret file with this content.
[[nodiscard]] std::string text_of(const SecretFile& content);

// All functions with a "file" parameter throw std::runtime_error if an error occurs. The
// exception's message names the file, the problem and the command to run.

[[nodiscard]] SecretFile read_secret_file(const std::filesystem::path& file);

// Creates the file with mode 0640. Fails if the file already exists.
void create_secret_file(const std::filesystem::path& file, const SecretFile& content);

// Reads the file, calls "change" to edit its content, and replaces the file atomically. The mode
// and the owners are preserved. If the file is a symbolic link, the link's target is replaced.
// Blocks while another program changes the file, so no change is lost. If "change" throws, the file
// remains unchanged and the exception is propagated.
void change_secret_file(const std::filesystem::path& file,
                        const std::function<void(SecretFile&)>& change);

// Adds or removes a ticket key. The last 64 removed names are remembered. add_ticket_key() also
// fails if refusal_to_add() returns a reason, and remove_ticket_key() also fails if no key has the
// name. On failure, the secret file remains unchanged.
void add_ticket_key(const std::filesystem::path& file, const TicketKey& key);
void remove_ticket_key(const std::filesystem::path& file, const TicketKey& key);

// --- The secrets --------------------------------------------------------------------------------

// Keys derived from the site's secret. Each key has one purpose.
struct Keys {
  std::string voter_cookie = {};
  std::string new_voter = {};  // key for the ids of voters without cookie and token
  std::string address = {};
  std::string counters = {};  // key for the names of counters for addresses
  std::string agent = {};
  std::string imports = {};  // key for the ids of imported anonymous voters
  // The key for the ids of voters with a device token. The device token key is the same for all
  // secrets in a file, so voters keep their ids when the secret is rotated.
  std::string device = {};
  // The key for the ids of visitors identified by a separate front end's ticket. The visitor key is
  // derived from the device token key, so the visitors' ids do not change when the secret is
  // rotated.
  std::string visitor = {};
  // The key for the ids of voters recognized only by their network. Like the visitor key, the
  // network key is derived from the device token key.
  std::string network = {};
  std::string health = {};  // used by challenge_response()
};

// The current keys, followed by the previous secret's keys during a rotation.
using KeyRing = std::vector<Keys>;

// Returns the keys from a secret file. Files from version 0.1 contain no device token key, so the
// device token key is derived from the older secret. "site" is the site's number in a network whose
// sites share the file. Each site except the first has separate keys, so that the voters on
// different sites never have the same id.
[[nodiscard]] KeyRing keys_of(const SecretFile& content, unsigned site = 1);

// Reads a secret file and returns the same keys as keys_of(). Throws std::runtime_error with a
// message that names the problem and the command to run.
[[nodiscard]] KeyRing read_secrets(const std::filesystem::path& file, unsigned site = 1);

// Returns the response to a challenge, as 64 hexadecimal digits. A client with the same secret can
// verify that the response comes from a worker of the client's own site. The key for challenges is
// not used for anything else.
[[nodiscard]] std::string challenge_response(const Keys& keys, std::string_view challenge);

// Adds a new secret before the current secret, which remains valid. The device token key and the
// ticket keys do not change. If the file has no line for the device token key, adds this line. The
// file is replaced atomically. If the file is a symbolic link, the link's target is replaced.
// Throws std::runtime_error if, for example, the file already contains two secrets. After an error,
// the file is unchanged.
void rotate_secret(const std::filesystem::path& file);

// Removes the older of two secrets. In all other respects, retire_secret() works like
// rotate_secret().
void retire_secret(const std::filesystem::path& file);

// Creates a secret file with mode 0640. Throws std::runtime_error if, for example, the file already
// exists.
void make_secret(const std::filesystem::path& file);

}  // namespace identity
