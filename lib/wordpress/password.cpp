#include "wordpress/password.h"

#include <crypt.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/crypto.h"
#include "base/text.h"
#include "wordpress/php_serialized.h"

namespace wordpress {
namespace {

constexpr std::string_view kFastHashKey = "wp_fast_hash_6.8+";
constexpr std::string_view kFastHashPrefix = "$generic$";
constexpr std::size_t kFastHashBytes = 30;
constexpr std::string_view kWpBcryptKey = "wp-sha384";
constexpr std::string_view kWpBcryptPrefix = "$wp";
constexpr std::size_t kMaxMd5HashLength = 32;

constexpr std::size_t kMinPortableRoundsLog2 = 7;
constexpr std::size_t kMaxPortableRoundsLog2 = 18;
constexpr int kMaxBcryptCost = 14;
constexpr int kMaxShaCryptRounds = 500'000;

constexpr std::size_t kMaxAppPassword = 64;  // letters and digits; WordPress generates 24
constexpr std::size_t kMaxSlowAppPasswords = 100;

constexpr std::string_view kPortableAlphabet =
    "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool is_any_prefix(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return text.starts_with(p); });
}

// Returns the decimal number at the start of "text", or nothing if "text" does not start with a
// number.
std::optional<int> leading_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

// Encodes bytes in the base64 variant of portable hashes, which encodes the lowest 6 bits first
// (class-phpass.php, encode64).
std::string portable_base64(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits |= std::uint32_t{static_cast<std::uint8_t>(c)} << held;
    for (held += 8; held >= 6; held -= 6, bits >>= 6U) text += kPortableAlphabet[bits & 0x3FU];
  }
  if (held > 0) text += kPortableAlphabet[bits & 0x3FU];
  return text;
}

// The format is "$P$", a character for the binary logarithm of the number of rounds, 8 characters
// for the salt, and 22 characters for the digest.
bool matches_portable(std::string_view password, std::string_view hash) {
  constexpr std::size_t kRoundsAt = 3;
  constexpr std::size_t kSaltAt = 4;
  constexpr std::size_t kDigestAt = 12;
  constexpr std::size_t kLength = 34;
  if (hash.size() != kLength) return false;
  const std::size_t rounds_log2 = kPortableAlphabet.find(hash[kRoundsAt]);
  if (rounds_log2 < kMinPortableRoundsLog2 || rounds_log2 > kMaxPortableRoundsLog2) return false;

  std::string salted(hash.substr(kSaltAt, kDigestAt - kSaltAt));
  salted += password;
  const std::string digest =
      base::md5_rounds(base::md5(salted), password, std::uint32_t{1} << rounds_log2);
  return base::equals_in_constant_time(portable_base64(digest), hash.substr(kDigestAt));
}

// Returns whether the hash is cheap enough to compute with crypt(3).
bool is_affordable_crypt(std::string_view hash) {
  if (is_any_prefix(hash, {"$2y$", "$2a$", "$2b$", "$2x$"})) {
    const auto cost = leading_number(hash.substr(4));
    return cost && *cost <= kMaxBcryptCost;
  }
  if (!is_any_prefix(hash, {"$5$", "$6$"})) return false;
  constexpr std::string_view kRounds = "rounds=";
  hash.remove_prefix(3);
  if (!hash.starts_with(kRounds)) return true;
  const auto rounds = leading_number(hash.substr(kRounds.size()));
  return rounds && *rounds <= kMaxShaCryptRounds;
}

bool matches_crypt(std::string_view password, std::string_view hash) {
  // Passwords with a NUL byte never match, because crypt(3) would ignore everything after the NUL
  // byte.
  if (!is_affordable_crypt(hash) || password.find('\0') != std::string_view::npos) return false;
  // The crypt_data object is on the heap because, at 32 KiB, it is too large for a thread's stack.
  const auto state = std::make_unique<crypt_data>();
  const char* const result =
      crypt_r(std::string(password).c_str(), std::string(hash).c_str(), state.get());
  return result != nullptr && base::equals_in_constant_time(result, hash);
}

// Returns the index of the cache slot for "digest". Chooses the slot by the digest's first byte,
// which is evenly distributed.
std::size_t slot_of(const std::string& digest, std::size_t places) {
  return static_cast<unsigned char>(digest.front()) % places;
}

}  // namespace

bool is_account_password(std::string_view password, std::string_view hash) {
  if (hash.size() <= kMaxMd5HashLength) {
    return base::equals_in_constant_time(base::to_hex(base::md5(password)), hash);
  }
  if (password.size() > kMaxPasswordBytes) return false;
  if (hash.starts_with(kWpBcryptPrefix)) {
    return matches_crypt(base::to_base64(base::hmac_sha384(kWpBcryptKey, password)),
                         hash.substr(kWpBcryptPrefix.size()));
  }
  if (is_any_prefix(hash, {"$P$", "$H$"})) return matches_portable(password, hash);
  return matches_crypt(password, hash);
}

void equalize_timing_of_account_passwords(std::string_view password, std::string_view hash) {
  if (is_any_prefix(hash, {"$wp$2", "$2"})) return;
  static_cast<void>(is_account_password(password, kDummyHash));
}

std::string normalized_app_password(std::string_view password) {
  std::string normalized;
  std::ranges::copy_if(password, std::back_inserter(normalized), base::is_letter_or_digit);
  return normalized;
}

std::string fast_hash(std::string_view message) {
  return std::string(kFastHashPrefix) +
         base::to_base64url(base::keyed_blake2b(kFastHashKey, message, kFastHashBytes));
}

bool is_app_password(std::string_view password, std::string_view list) {
  if (password.size() > kMaxPasswordBytes) return false;
  const std::string normalized = normalized_app_password(password);
  if (normalized.size() > kMaxAppPassword) return false;
  const std::string fast = fast_hash(normalized);

  const auto entries = parse_php_serialized(list);
  if (!entries || entries->as_array() == nullptr) return false;
  std::vector<std::string_view> slow;
  for (const auto& [key, entry] : *entries->as_array()) {
    const PhpValue* const field = entry.find("password");
    const std::string* const hash = field == nullptr ? nullptr : field->as_string();
    if (hash == nullptr) continue;
    if (base::equals_in_constant_time(fast, *hash)) return true;
    const bool is_slow = !hash->starts_with(kFastHashPrefix);
    if (is_slow && slow.size() < kMaxSlowAppPasswords) slow.push_back(*hash);
  }
  return std::ranges::any_of(
      slow, [&](std::string_view hash) { return is_account_password(normalized, hash); });
}

void equalize_timing_of_app_passwords(std::string_view password, std::string_view list) {
  if (password.size() > kMaxPasswordBytes || list.find("\"$P$") != std::string_view::npos) return;
  const std::string normalized = normalized_app_password(password);
  if (normalized.size() > kMaxAppPassword) return;
  static_cast<void>(is_account_password(normalized, kDummyPortableHash));
}

bool VerifiedPasswordCache::contains(std::string_view password, std::string_view stored,
                                     base::Time now) {
  const std::string digest = digest_of(password, stored);
  const base::MutexLock lock(mutex_);
  Entry& entry = entries_[slot_of(digest, kEntries)];
  if (now >= entry.until || !base::equals_in_constant_time(entry.digest, digest)) return false;
  entry.until = std::max(entry.until, now + kLife);
  return true;
}

void VerifiedPasswordCache::fill(std::string_view password, std::string_view stored,
                                 base::Time now) {
  std::string digest = digest_of(password, stored);
  const base::MutexLock lock(mutex_);
  Entry& entry = entries_[slot_of(digest, kEntries)];
  entry = {std::move(digest), now + kLife};
}

std::string VerifiedPasswordCache::digest_of(std::string_view password,
                                             std::string_view stored) const {
  // The HMAC input consists of two fixed-length digests, so different pairs of password and stored
  // hash never produce the same input.
  return base::hmac_sha256(key_, base::sha256(password) + base::sha256(stored));
}

}  // namespace wordpress
