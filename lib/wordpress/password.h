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
// old WordPress releases, so all formats are accepted. Each hash is verified only in its own
// format, so support for weak formats does not weaken hashes in other formats. Digests are compared
// in constant time.
//
// A hash that would take more than about a second of CPU time to compute matches no password. The
// limits are cost 14 for bcrypt hashes, 2^18 rounds for portable hashes, and 500,000 rounds for
// SHA-crypt hashes.
//
// All functions are pure and safe for concurrent use. Functions marked "slow" take between a
// millisecond and a second of CPU time, so the caller must limit how often clients can trigger
// them.

inline constexpr std::size_t kMaxPasswordBytes = 4096;

// Returns whether "hash" (users.user_pass) is a hash of the account password "password". Slow. Pass
// base::trim_like_php(password), because WordPress's login page trims passwords (pluggable.php,
// wp_check_password).
//
// A hash of up to 32 bytes is an MD5 digest in lower-case hexadecimal. A hash that begins with
// "$wp$2y$" is a bcrypt hash of base64(HMAC-SHA384("wp-sha384", password)), which WordPress has
// used since version 6.8. A hash that begins with "$P$" or "$H$" is a portable hash (phpass), which
// is salted MD5 with many rounds. WordPress versions up to 6.7 accept "$H$". A hash that begins
// with "$2y$", "$2a$", "$2b$", "$2x$", "$5$" or "$6$" is a crypt(3) hash. Bcrypt uses only the
// first 72 bytes of a password.
//
// Argon2 hashes match no password, because Debian's libcrypt does not support them.
[[nodiscard]] bool is_account_password(std::string_view password, std::string_view hash);

// A hash in the WordPress 6.8 format, with the lowest cost, that matches no known password. If a
// request contains an unknown user name, check the password against this hash, so that the check
// takes as long as for an existing user.
inline constexpr std::string_view kDummyHash =
    "$wp$2y$10$XK3SfW4nQh0pR7vYc1LtEuM8bDzJ2wGqA5xUi9ZsNkHoTyFPeVrCm";

// A hash in the format used before WordPress 6.8 that matches no known password.
inline constexpr std::string_view kDummyPortableHash = "$P$BQxZ3nLr8kW1vTf6yHs0dMj5uCpGe9/";

// Call this function after a failed check of "password" against the account's password hash "hash".
// The function makes the failed check take at least as long as a check against kDummyHash, so that
// the response time does not reveal which users exist. If the cost of "hash" is unusually high, the
// response still takes longer than for an unknown user.
void equalize_timing_of_account_passwords(std::string_view password, std::string_view hash);

// Returns the ASCII letters and digits of an application password. WordPress hashes only these
// characters.
[[nodiscard]] std::string normalized_app_password(std::string_view password);

// Returns the hash that WordPress uses for long random secrets: "$generic$" and a keyed BLAKE2b
// digest in base64url. Fast. (functions.php, wp_fast_hash)
[[nodiscard]] std::string fast_hash(std::string_view message);

// Returns whether "password" is one of the application passwords in "list". "list" is the user's
// "_application_passwords" metadata value, or empty if the user has no such value. If several rows
// have the key "_application_passwords", pass the value with the lowest umeta_id. Spaces in the
// password are ignored, because WordPress shows the password in groups of four characters.
//
// Only the hash in each entry of "list" is used, so an entry's other fields may be missing. If
// "list" is damaged, no password matches (class-wp-application-passwords.php, check_password).
//
// Does not update the "last_used" field in the database.
//
// Comparing the password with an entry from before WordPress 6.8 takes a few milliseconds of CPU
// time. Users can create any number of entries, so only the first 100 entries from before WordPress
// 6.8 are compared. A password with more than 64 letters and digits never matches. (WordPress
// generates passwords with 24 characters.)
[[nodiscard]] bool is_app_password(std::string_view password, std::string_view list);

// Call this function after a failed check of "password" against the application passwords in
// "list". Pass an empty list for an unknown user. If "list" contains no entry from before WordPress
// 6.8, the function consumes the CPU time of one comparison with such an entry, so that the
// response time does not reveal whether a user exists. If "list" contains several entries
// from before WordPress 6.8, however, the longer response time reveals that the user exists.
void equalize_timing_of_app_passwords(std::string_view password, std::string_view list);

// DESIGN. A cache of passwords that have been verified against stored hashes. If a client sends its
// password with every request, the slow hash is computed only for the first request, and again
// after the client has been idle for half a minute. An entry in the cache is a keyed digest of the
// password and the stored hash. Neither the password nor the hash can be recovered from the entry.
// The caller reads the stored hash from the database for each request. When a password is changed
// or removed, the stored hash changes, too, so the old cache entry no longer matches.
//
// Two passwords that share a slot evict each other from the cache.
//
// Safe for concurrent use.
class VerifiedPasswordCache {
 public:
  explicit VerifiedPasswordCache(std::string key) : key_(std::move(key)) {}

  // Returns whether the cache contains the password for this stored hash. If the password is
  // cached, extends the lifetime of its cache entry.
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
