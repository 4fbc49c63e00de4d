#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace base {

// A thin wrapper around OpenSSL's libcrypto. Digests and keys are strings of raw bytes. All
// functions throw std::runtime_error if libcrypto fails, for example because memory is exhausted.
// Safe for concurrent use.

// Returns the 32-byte HMAC-SHA256 (RFC 2104).
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view message);

// Returns the 32-byte SHA-256 digest.
[[nodiscard]] std::string sha256(std::string_view message);

// The following functions exist only for the formats that WordPress uses. Do not use MD5 for any
// other purpose.
[[nodiscard]] std::string md5(std::string_view message);                                // 16 bytes
[[nodiscard]] std::string hmac_md5(std::string_view key, std::string_view message);     // 16 bytes
[[nodiscard]] std::string hmac_sha384(std::string_view key, std::string_view message);  // 48 bytes

// Repeats digest = MD5(digest + suffix) "rounds" times and returns the last digest.
[[nodiscard]] std::string md5_rounds(std::string digest, std::string_view suffix,
                                     std::uint32_t rounds);

// Returns the keyed BLAKE2b hash (RFC 7693) of "message", with "length" bytes. "length" must be
// between 1 and 64, and "key" must have 1 to 64 bytes.
[[nodiscard]] std::string keyed_blake2b(std::string_view key, std::string_view message,
                                        std::size_t length);

// Derives a 32-byte key for "purpose" from "secret", using HKDF-SHA256 (RFC 5869) without a salt.
[[nodiscard]] std::string derive_key(std::string_view secret, std::string_view purpose);

// Returns "count" cryptographically secure random bytes.
[[nodiscard]] std::string random_bytes(std::size_t count);
[[nodiscard]] std::uint64_t random_u64();

// Returns the coordinates x and y of the public key in "pem". Each coordinate has 32 bytes. The key
// must be a "PUBLIC KEY" (RFC 7468 §13) on the P-256 curve. If "pem" is invalid, returns a phrase
// with the reason. The phrase contains no part of "pem".
[[nodiscard]] tl::expected<std::string, std::string> p256_public_key(std::string_view pem);

// Removes the calling thread's errors from libcrypto's error queue. Call this function after using
// a library that may leave errors in OpenSSL's error queue. Errors left in the queue would later
// appear as errors of the TLS connection to the database.
void discard_crypto_errors();

// Compares two secrets. The running time depends only on the lengths of the secrets.
[[nodiscard]] bool equals_in_constant_time(std::string_view a, std::string_view b);

// A random key in shared memory, used by all processes. The key is zero until the first process
// sets it.
struct SharedKey {
  std::array<std::atomic<std::uint64_t>, 2> words;
};

// A keyed hash for hash tables (SipHash-2-4, https://www.aumasson.jp/siphash/siphash.pdf). Clients
// do not know the hash key, so they cannot choose colliding table keys. Safe for concurrent use.
class KeyedHash {
 public:
  // Creates a hash with the key in "shared". If no process has set the shared key yet, sets the key
  // to a random value.
  explicit KeyedHash(SharedKey& shared);
  explicit KeyedHash(std::array<std::uint64_t, 2> key) : key_(key) {}

  [[nodiscard]] std::uint64_t operator()(std::string_view message) const;

 private:
  std::array<std::uint64_t, 2> key_;
};

}  // namespace base
