#include <cjose/jwk.h>
#include <cjose/jws.h>

#include <cassert>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/crypto.h"
#include "identity/ticket.h"

namespace identity {
namespace {

constexpr std::size_t kCoordinateBytes = 32;

struct ReleaseJws {
  void operator()(cjose_jws_t* signature) const { cjose_jws_release(signature); }
};

}  // namespace

void TicketVerifier::Release::operator()(cjose_jwk_t* key) const { cjose_jwk_release(key); }

TicketVerifier::TicketVerifier(const TicketKey& key) : key_(key) {
  std::string bytes = std::move(key_.key);  // cjose takes pointers to non-const and only reads
  key_.key.clear();
  auto* const data = reinterpret_cast<std::uint8_t*>(bytes.data());
  if (key.algorithm == TicketAlgorithm::hs256) {
    assert(bytes.size() >= kMinSharedSecretBytes);
    jwk_.reset(cjose_jwk_create_oct_spec(data, bytes.size(), nullptr));
  } else {
    assert(bytes.size() == 2 * kCoordinateBytes);
    cjose_jwk_ec_keyspec point{};
    point.crv = CJOSE_JWK_EC_P_256;
    point.x = data;
    point.xlen = kCoordinateBytes;
    point.y = data + kCoordinateBytes;
    point.ylen = kCoordinateBytes;
    jwk_.reset(cjose_jwk_create_EC_spec(&point, nullptr));  // checks that the point is on the curve
  }
  base::discard_crypto_errors();
  if (jwk_ == nullptr) {
    throw std::runtime_error("ticket key \"" + key.name +
                             "\": its key is not valid; remove it and add it again");
  }
}

bool TicketVerifier::verifies(std::string_view token, std::size_t signature_bytes) const {
  // cjose takes any even split of an ES256 signature.
  const std::size_t expected = key_.algorithm == TicketAlgorithm::hs256 ? 32 : 64;
  if (signature_bytes != expected) return false;
  const std::unique_ptr<cjose_jws_t, ReleaseJws> jws(
      cjose_jws_import(token.data(), token.size(), nullptr));
  const bool is_valid = jws != nullptr && cjose_jws_verify(jws.get(), jwk_.get(), nullptr);
  if (!is_valid) base::discard_crypto_errors();
  return is_valid;
}

}  // namespace identity
