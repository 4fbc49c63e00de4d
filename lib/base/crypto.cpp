#include "base/crypto.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <cstring>
#include <memory>
#include <stdexcept>

namespace base {
namespace {

constexpr std::size_t kSha256Length = 32;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("libcrypto failed: ") + what);
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view message) {
  std::string digest(kSha256Length, '\0');
  require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(message),
               message.size(), bytes_of(digest), nullptr) != nullptr,
          "HMAC");
  return digest;
}

std::string sha256(std::string_view message) {
  std::string digest(kSha256Length, '\0');
  require(EVP_Digest(message.data(), message.size(), bytes_of(digest), nullptr, EVP_sha256(),
                     nullptr) == 1,
          "SHA-256");
  return digest;
}

std::string derive_key(std::string_view secret, std::string_view purpose) {
  const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> kdf(
      EVP_KDF_fetch(nullptr, OSSL_KDF_NAME_HKDF, nullptr), EVP_KDF_free);
  require(kdf != nullptr, "HKDF");
  const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(
      EVP_KDF_CTX_new(kdf.get()), EVP_KDF_CTX_free);
  require(context != nullptr, "HKDF");

  // OSSL_PARAM takes pointers to non-const and only reads through them.
  std::string secret_copy(secret);
  std::string purpose_copy(purpose);
  char digest_name[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest_name, 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret_copy.data(), secret_copy.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, purpose_copy.data(),
                                        purpose_copy.size()),
      OSSL_PARAM_construct_end()};
  std::string key(kSha256Length, '\0');
  require(EVP_KDF_derive(context.get(), bytes_of(key), key.size(), parameters) == 1, "HKDF");
  OPENSSL_cleanse(secret_copy.data(), secret_copy.size());
  return key;
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

bool equals_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace base
