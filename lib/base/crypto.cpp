#include "base/crypto.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace base {
namespace {

constexpr std::size_t kSha256Length = 32;
constexpr std::size_t kMd5Length = 16;
constexpr std::size_t kP256CoordinateLength = 32;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("libcrypto failed: ") + what);
}

std::string digest(const EVP_MD* algorithm, std::string_view message) {
  std::string result(static_cast<std::size_t>(EVP_MD_get_size(algorithm)), '\0');
  require(EVP_Digest(message.data(), message.size(), bytes_of(result), nullptr, algorithm,
                     nullptr) == 1,
          "digest");
  return result;
}

using MacContext = std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)>;

MacContext hmac_context(const char* digest) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> algorithm(
      EVP_MAC_fetch(nullptr, "HMAC", nullptr), EVP_MAC_free);
  require(algorithm != nullptr, "HMAC");
  MacContext context(EVP_MAC_CTX_new(algorithm.get()), EVP_MAC_CTX_free);
  const std::array parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, const_cast<char*>(digest), 0),
      OSSL_PARAM_construct_end()};
  require(context != nullptr && EVP_MAC_CTX_set_params(context.get(), parameters.data()) == 1,
          "HMAC");
  return context;
}

// Callers reuse "context", because fetching the algorithms from OpenSSL takes longer than hashing a
// short message.
std::string hmac(EVP_MAC_CTX* context, std::string_view key, std::string_view message) {
  static constexpr unsigned char kEmptyKey = 0;  // a null pointer would reuse the previous key
  const unsigned char* const key_bytes = key.empty() ? &kEmptyKey : bytes_of(key);
  require(EVP_MAC_init(context, key_bytes, key.size(), nullptr) == 1 &&
              EVP_MAC_update(context, bytes_of(message), message.size()) == 1,
          "HMAC");
  std::string result(EVP_MAC_CTX_get_mac_size(context), '\0');
  std::size_t length = 0;
  require(EVP_MAC_final(context, bytes_of(result), &length, result.size()) == 1, "HMAC");
  return result;
}

using PublicKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

PublicKey public_key_in(std::string_view pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> source(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  require(source != nullptr, "BIO_new_mem_buf");
  PublicKey key(PEM_read_bio_PUBKEY(source.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  discard_crypto_errors();
  return key;
}

// Returns the coordinate "name" of a public key on the P-256 curve as 32 bytes.
std::string coordinate(const EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  require(EVP_PKEY_get_bn_param(key, name, &number) == 1, name);
  std::string bytes(kP256CoordinateLength, '\0');
  const int written = BN_bn2binpad(number, bytes_of(bytes), static_cast<int>(bytes.size()));
  BN_free(number);
  require(written == static_cast<int>(bytes.size()), name);
  return bytes;
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view message) {
  thread_local const MacContext context = hmac_context("SHA256");
  return hmac(context.get(), key, message);
}

std::string hmac_sha384(std::string_view key, std::string_view message) {
  thread_local const MacContext context = hmac_context("SHA384");
  return hmac(context.get(), key, message);
}

std::string hmac_md5(std::string_view key, std::string_view message) {
  thread_local const MacContext context = hmac_context("MD5");
  return hmac(context.get(), key, message);
}

std::string sha256(std::string_view message) { return digest(EVP_sha256(), message); }

std::string md5(std::string_view message) { return digest(EVP_md5(), message); }

std::string md5_rounds(std::string digest, std::string_view suffix, std::uint32_t rounds) {
  // Fetch the algorithm only once, because fetching takes longer than one round of hashing.
  const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm(
      EVP_MD_fetch(nullptr, "MD5", nullptr), EVP_MD_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  require(algorithm != nullptr && context != nullptr, "MD5");
  std::string next(kMd5Length, '\0');
  for (std::uint32_t i = 0; i < rounds; ++i) {
    require(EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) == 1 &&
                EVP_DigestUpdate(context.get(), digest.data(), digest.size()) == 1 &&
                EVP_DigestUpdate(context.get(), suffix.data(), suffix.size()) == 1 &&
                EVP_DigestFinal_ex(context.get(), bytes_of(next), nullptr) == 1,
            "MD5");
    digest = next;
  }
  return digest;
}

std::string keyed_blake2b(std::string_view key, std::string_view message, std::size_t length) {
  assert(!key.empty() && key.size() <= 64 && length >= 1 && length <= 64);
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &length),
                                   OSSL_PARAM_construct_end()};
  std::string result(length, '\0');
  std::size_t written = 0;
  require(EVP_Q_mac(nullptr, OSSL_MAC_NAME_BLAKE2BMAC, nullptr, nullptr, parameters, key.data(),
                    key.size(), bytes_of(message), message.size(), bytes_of(result), result.size(),
                    &written) != nullptr &&
              written == length,
          "BLAKE2b");
  return result;
}

std::string derive_key(std::string_view secret, std::string_view purpose) {
  // HKDF first extracts a key from the secret and then expands this key. Without a salt, the
  // extraction uses an HMAC key whose bytes are all zero. The expansion needs only one round,
  // because the derived key is as long as a digest.
  const std::string pseudorandom_key = hmac_sha256(std::string(kSha256Length, '\0'), secret);
  return hmac_sha256(pseudorandom_key, std::string(purpose) + '\x01');
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  require(RAND_bytes(bytes_of(bytes), static_cast<int>(count)) == 1, "RAND_bytes");
  return bytes;
}

std::uint64_t random_u64() {
  std::uint64_t number = 0;
  std::memcpy(&number, random_bytes(sizeof number).data(), sizeof number);
  return number;
}

tl::expected<std::string, std::string> p256_public_key(std::string_view pem) {
  if (pem.find("PRIVATE KEY-----") != std::string_view::npos) {
    return tl::unexpected<std::string>("it has a private key, which must not leave its owner");
  }
  const PublicKey key = public_key_in(pem);
  if (key == nullptr) return tl::unexpected<std::string>("it has no public key in PEM");
  if (EVP_PKEY_is_a(key.get(), "EC") != 1) {
    return tl::unexpected<std::string>("its key is not of an elliptic curve");
  }
  std::array<char, 64> curve{};
  std::size_t length = 0;
  const bool is_named =
      EVP_PKEY_get_group_name(key.get(), curve.data(), curve.size(), &length) == 1;
  discard_crypto_errors();
  if (!is_named || std::string_view(curve.data(), length) != "prime256v1") {
    return tl::unexpected<std::string>("its key is of another curve");
  }
  return coordinate(key.get(), OSSL_PKEY_PARAM_EC_PUB_X) +
         coordinate(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y);
}

void discard_crypto_errors() { ERR_clear_error(); }

bool equals_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// --- The keyed hash for hash tables --------------------------------------------------------------

namespace {

static_assert(std::endian::native == std::endian::little);

// Returns the value of "word" in shared memory, so that all processes use the same random number.
// If "word" is 0, first sets "word" to a random number.
std::uint64_t agree_on(std::atomic<std::uint64_t>& word) {
  const std::uint64_t proposed = random_u64() | 1U;  // zero means unset
  std::uint64_t found = 0;
  return word.compare_exchange_strong(found, proposed) ? proposed : found;
}

// SipHash's state, v0 ... v3.
struct State {
  std::uint64_t a, b, c, d;

  void mix(int rounds) {
    for (; rounds > 0; --rounds) {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32) + d;
      c += b;
      d = std::rotl(d, 21) ^ a;
      b = std::rotl(b, 17) ^ c;
      c = std::rotl(c, 32);
    }
  }

  void add(std::uint64_t word) {
    d ^= word;
    mix(2);
    a ^= word;
  }
};

}  // namespace

KeyedHash::KeyedHash(SharedKey& shared) : key_{} {
  for (std::size_t i = 0; i < key_.size(); ++i) key_[i] = agree_on(shared.words[i]);
}

std::uint64_t KeyedHash::operator()(std::string_view message) const {
  State state{key_[0] ^ 0x736f6d6570736575U, key_[1] ^ 0x646f72616e646f6dU,
              key_[0] ^ 0x6c7967656e657261U, key_[1] ^ 0x7465646279746573U};
  std::uint64_t word = 0;
  const std::uint64_t last = std::uint64_t{message.size()} << 56U;
  for (; message.size() >= sizeof word; message.remove_prefix(sizeof word)) {
    std::memcpy(&word, message.data(), sizeof word);
    state.add(word);
  }
  word = 0;
  std::memcpy(&word, message.data(), message.size());
  state.add(word | last);
  state.c ^= 0xffU;
  state.mix(4);
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace base
