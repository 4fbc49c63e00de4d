#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"

namespace wordpress {

// DESIGN. Verifies passwords against the hashes that WordPress stores. A site may have hashes from
// every release that it ever ran, so all formats are accepted. The hash itself shows its format,
// and no format weakens the others. Digests are compared in constant time.
//
// CPU time is bounded. If a hash would take more than about a second, it matches no password. This
// applies to bcrypt hashes above cost 14, portable hashes above 2^18 rounds, and SHA-crypt hashes
// above 500,000 rounds.
//
// All functions are pure and safe for concurrent use. Functions marked "slow" take between a
// millisecond and a second of CPU time, so limit how often clients can trigger them.

inline constexpr std::size_t kMaxPasswordBytes = 4096;

// Returns whether "hash" (users.user_pass) is the hash of this account password. Slow. WordPress's
// login trims the password first, so pass base::trim_like_php(password). (pluggable.php,
// wp_check_password)
//
//   up to 32 bytes     MD5 in lower-case hexadecimal
//   $wp$2y$            bcrypt of base64(HMAC-SHA384("wp-sha384", password)), from 6.8 on
//   $P$, $H$           portable hash (phpass): salted MD5, many times over; $H$ up to 6.7
//   $2y$ $2a$ $2b$ $2x$ $5$ $6$   crypt(3); bcrypt sees the first 72 bytes only
//
// Argon2 hashes match no password, because Debian's libcrypt does not support them.
[[nodiscard]] bool is_account_password(std::string_view password, std::string_view hash);

// The hash of a password that nobody knows, in the WordPress 6.8 format with the lowest cost. If no
// user has the name in a request, check the password against this hash, so that the check takes as
// long as for an existing user.
inline constexpr std::string_view kDummyHash =
    "$wp$2y$10$XK3SfW4nQh0pR7vYc1LtEuM8bDzJ2wGqA5xUi9ZsNkHoTyFPeVrCm";

// The hash of an unknown password in the format that releases before 6.8 use.
inline constexpr std::string_view kDummyPortableHash = "$P$BQxZ3nLr8kW1vTf6yHs0dMj5uCpGe9/";

// Call this function for a password that does not match "hash". The function takes as long as
// checking kDummyHash, unless checking "hash" already took that long. So the response time does not
// reveal which users exist. A hash with an unusually high cost still takes longer.
void equalize_timing_of_account_passwords(std::string_view password, std::string_view hash);

// Returns the part of an application password that WordPress hashes: its ASCII letters and digits.
[[nodiscard]] std::string normalized_app_password(std::string_view password);

// Returns WordPress's hash of a long random secret: "$generic$" and the base64url of keyed BLAKE2b.
// Fast. (functions.php, wp_fast_hash)
[[nodiscard]] std::string fast_hash(std::string_view message);

// Returns whether "password" is one of the application passwords in "list". "list" is the user's
// _application_passwords in usermeta, or empty if the user has none. If several rows exist, pass
// the row with the lowest umeta_id. Spaces in the password are ignored because WordPress shows the
// password in groups of four characters.
//
// Only an entry's hash is used. Keys need not be 0, 1, 2 ... and other fields may be missing. A
// damaged list contains no passwords. (class-wp-application-passwords.php, check_password)
//
// Writes nothing, so last_used does not change.
//
// An entry from before WordPress 6.8 takes a few milliseconds of CPU time. Users can create any
// number of entries, so only the first 100 of these entries are compared. A password with more than
// 64 letters and digits never matches. (WordPress generates 24.)
[[nodiscard]] bool is_app_password(std::string_view password, std::string_view list);

// Call this function for a password that is not in "list". For an unknown user, "list" is empty.
// Unless the list has an entry from before 6.8, the function takes as much CPU time as
// is_app_password() with one such entry. So the response time does not reveal whether a user
// exists. But a longer time still reveals users with several such entries.
void equalize_timing_of_app_passwords(std::string_view password, std::string_view list);

// DESIGN. A cache for passwords that were verified against stored hashes. For a client that sends
// its password with every request, only one slow hash per half minute is computed. An entry is a
// digest of the password and the stored hash, made with a secret key. Neither the password nor the
// hash can be recovered from the entry. The caller reads the stored hash from the database for each
// request, and this hash changes when a password is changed or removed. So an entry cannot be used
// after it has become invalid.
//
// The cache is small and its size is fixed. If two passwords have the same slot, they replace each
// other.
//
// Safe for concurrent use.
class VerifiedPasswordCache {
 public:
  explicit VerifiedPasswordCache(std::string key) : key_(std::move(key)) {}

  // Returns whether the password is cached. A hit extends the entry's life.
  [[nodiscard]] bool contains(std::string_view password, std::string_view stored, base::Time now);
  void fill(std::string_view password, std::string_view stored, base::Time now);

  static constexpr std::chrono::seconds kLife{30};

 private:
  struct Entry {
    std::string digest;
    base::Time until;
  };

  [[nodiscard]] std::string digest_of(std::string_view password, std::string_view stored) const;

  static constexpr std::size_t kEntries = 256;

  const std::string key_;
  base::Mutex mutex_;
  std::array<Entry, kEntries> entries_ GUARDED_BY(mutex_);
};

}  // namespace wordpress
