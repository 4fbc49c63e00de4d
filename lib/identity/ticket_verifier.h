#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "identity/ticket_key.h"

struct _cjose_jwk_int;  // cjose_jwk_t, NOLINT(bugprone-reserved-identifier)

namespace identity {

// A ticket key that verifies signatures. Safe for concurrent use: cjose only reads a key.
class TicketVerifier {
 public:
  // Errors: std::runtime_error - an ES256 key is not a point of the curve.
  explicit TicketVerifier(const TicketKey& key);

  // Without the secret.
  [[nodiscard]] const TicketKey& key() const { return key_; }

  // Whether the signature of "token" is the key's. REQUIRES: its header names the key's algorithm.
  [[nodiscard]] bool verifies(std::string_view token, std::size_t signature_bytes) const;

 private:
  struct Release {
    void operator()(_cjose_jwk_int* key) const;
  };

  TicketKey key_;
  std::unique_ptr<_cjose_jwk_int, Release> jwk_;
};

}  // namespace identity
