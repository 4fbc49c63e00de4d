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
// every release it ever ran, so all formats are accepted, distinguished by the hash itself; no
// format weakens the others. Digests are compared in constant time.
//
// CPU time is bounded: a hash that would take more than about a second (bcrypt above cost 14,
// portable hashes above 2^18 rounds, SHA-crypt above 500,000 rounds) matches no password.
//
// All functions are pure and safe for concurrent use. Functions marked "slow" take milliseconds to
// a second of CPU time: limit how often clients can trigger them.

inline constexpr std::size_t kMaxPasswordBytes = 4096;

// Whether "hash" (users.user_pass) is that of an account password. Slow. WordPress's log-in trims
// the password first: give base::trim_like_php(password). (pluggable.php, wp_check_password)
//
//   up to 32 bytes     MD5 in lower-case hexadecimal
//   $wp$2y$            bcrypt of base64(HMAC-SHA384("wp-sha384", password)), from 6.8 on
//   $P$, $H$           portable hash (phpass): salted MD5, many times over; $H$ up to 6.7
//   $2y$ $2a$ $2b$ $2x$ $5$ $6$   crypt(3); bcrypt sees the first 72 bytes only
//
// Argon2 hashes are not supported (Debian's libcrypt has none): they match no password.
[[nodiscard]] bool is_account_password(std::string_view password, std::string_view hash);

// The hash of a password that nobody knows, as WordPress 6.8 makes them at its lowest cost: check
// passwords against it for names that nobody has, so that these take as long as others.
inline constexpr std::string_view kDummyHash =
    "$wp$2y$10$XK3SfW4nQh0pR7vYc1LtEuM8bDzJ2wGqA5xUi9ZsNkHoTyFPeVrCm";

// The same as releases before 6.8 make them.
inline constexpr std::string_view kDummyPortableHash = "$P$BQxZ3nLr8kW1vTf6yHs0dMj5uCpGe9/";

// For a password that does not match "hash": works as long as checking kDummyHash, unless
// checking "hash" did. So the time does not reveal who exists. (Costs above WordPress's usual one
// still take longer.)
void equalize_timing_of_account_passwords(std::string_view password, std::string_view hash);

// What WordPress hashes of an application password: its ASCII letters and digits.
[[nodiscard]] std::string normalized_app_password(std::string_view password);

// WordPress's hash of a long random secret (functions.php, wp_fast_hash): "$generic$" and the
// base64url of keyed BLAKE2b. Fast.
[[nodiscard]] std::string fast_hash(std::string_view message);

// Whether "password" is one of the application passwords in "list", the user's
// _application_passwords in usermeta (empty without one; of several rows the one with the lowest
// umeta_id). Spaces in the password are ignored: WordPress shows it in groups of four.
//
// Only the hash of an entry is used: keys need not be 0, 1, 2 ... and other fields may be missing.
// A damaged list has no passwords. (class-wp-application-passwords.php, check_password)
//
// Does not write: last_used does not change.
//
// Entries from before WordPress 6.8 take some milliseconds of CPU time each. Users make as many as
// they like, so only the first 100 of them are compared, and no password of more than 64 letters
// and digits: WordPress makes 24.
[[nodiscard]] bool is_app_password(std::string_view password, std::string_view list);

// Called for a password that is not in "list" (empty for an unknown user): takes the CPU time of
// is_app_password() with one entry from before 6.8, unless the list had such an entry. So the time
// does not reveal whether a user exists. (It still reveals users with several such entries.)
void equalize_timing_of_app_passwords(std::string_view password, std::string_view list);

// DESIGN. A cache of passwords that were verified against stored hashes, so a client that sends its
// password with every request costs one slow hash per half minute. An entry is a digest with a
// secret key over the password and the stored hash together: neither can be recovered from it. A
// changed or removed password has another stored hash, which the caller reads from the database for
// each request. So no entry is used after it has become invalid.
//
// The cache is small and of fixed size; two passwords with the same slot replace each other.
//
// Safe for concurrent use.
class VerifiedPasswordCache {
 public:
  explicit VerifiedPasswordCache(std::string key) : key_(std::move(key)) {}

  // Whether the password is cached; a hit extends the life of the entry.
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
