#pragma once

#include <optional>
#include <string>

#include "base/address.h"
#include "http/request.h"
#include "identity/secrets.h"
#include "identity/voter_cookie.h"
#include "model/settings.h"

namespace identity {

// Who sent a request, as far as the request proves it.
struct Asker {
  base::Address address;
  // 16 bytes of a keyed hash of network and user agent; empty when the web server gives no address,
  // since then all visitors with the same browser would look alike.
  std::string fingerprint;
  std::optional<VoterCookie> cookie;  // of an anonymous voter, valid

  // The voter, when it is proven. (Registered users will come before the cookie.)
  [[nodiscard]] std::optional<model::VoterId> voter() const {
    if (!cookie) return std::nullopt;
    return cookie->voter;
  }
};

// Reads the proofs that "request" carries. Does not touch the database.
[[nodiscard]] Asker identify(const http::Request& request, const KeyRing& keys,
                             const model::Settings& settings);

// A new anonymous voter.
[[nodiscard]] model::VoterId random_voter();

// An address as the votes table holds it: 'h' and 16 bytes of a keyed hash; empty for none.
[[nodiscard]] std::string stored_address(const base::Address& address, const Keys& keys);

}  // namespace identity
