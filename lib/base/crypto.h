#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace base {

// A thin wrapper of OpenSSL's libcrypto. Digests and keys are raw bytes in strings. All functions
// throw std::runtime_error if the library fails (no memory, no randomness). Safe for concurrent
// use.

// HMAC with SHA-256 (RFC 2104): 32 bytes.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view message);

// SHA-256: 32 bytes.
[[nodiscard]] std::string sha256(std::string_view message);

// Used by WordPress's formats. Do not use MD5 for anything new.
[[nodiscard]] std::string md5(std::string_view message);                                // 16 bytes
[[nodiscard]] std::string hmac_md5(std::string_view key, std::string_view message);     // 16 bytes
[[nodiscard]] std::string hmac_sha384(std::string_view key, std::string_view message);  // 48 bytes

// Repeats digest = MD5(digest + suffix) "rounds" times.
[[nodiscard]] std::string md5_rounds(std::string digest, std::string_view suffix,
                                     std::uint32_t rounds);

// Keyed BLAKE2b (RFC 7693) of "length" bytes. REQUIRES: a key of 1 ... 64 bytes, length 1 ... 64.
[[nodiscard]] std::string keyed_blake2b(std::string_view key, std::string_view message,
                                        std::size_t length);

// A 32-byte key for one purpose, derived from "secret" by HKDF-SHA256 (RFC 5869) without salt.
[[nodiscard]] std::string derive_key(std::string_view secret, std::string_view purpose);

// "count" cryptographically secure random bytes.
[[nodiscard]] std::string random_bytes(std::size_t count);
[[nodiscard]] std::uint64_t random_u64();

// The public key in "pem", a "PUBLIC KEY" (RFC 7468, §13) on the curve P-256: its coordinates x and
// y, 32 bytes each. Errors: a phrase that says what "pem" is instead; never a part of it.
[[nodiscard]] tl::expected<std::string, std::string> p256_public_key(std::string_view pem);

// Removes the calling thread's errors from libcrypto's queue. To be called where another library
// may have left some: TLS to the database would report them as its own.
void discard_crypto_errors();

// The run time depends on the lengths only.
[[nodiscard]] bool equals_in_constant_time(std::string_view a, std::string_view b);

}  // namespace base
