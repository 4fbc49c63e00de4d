#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.h"
#include "http/request.h"
#include "identity/secrets.h"
#include "identity/voter_cookie.h"
#include "model/settings.h"

namespace identity {

// A registered user of the CMS.
struct User {
  std::uint64_t id = 0;
  std::string login;
  std::string capabilities;  // as usermeta has it: what the user may do is asked of Authenticator

  bool operator==(const User&) const = default;
};

// Who sent a request, as far as the request proves it.
struct Asker {
  base::Address address;
  std::optional<VoterCookie> cookie;  // of an anonymous voter, valid
  std::optional<User> user;           // logged in, by whatever proof

  // A new REST nonce for the sender, who showed a valid one; empty for others.
  std::string fresh_nonce;
  // A nonce came that is not valid: the page that sent it is older than the log-in or log-out.
  bool has_stale_nonce = false;
  // Too many logins have failed: the password that came was not looked at, nor will be until then.
  std::chrono::seconds login_wait{0};
  // The password was not looked at, since too many others are being: the same request may be right
  // a moment later, and must not be taken for a stranger's.
  bool is_unjudged = false;
  // WordPress's cookie or a nonce came: the sender has a page to log in with.
  bool has_login_page = false;

  // The voter, when it is proven.
  [[nodiscard]] std::optional<model::VoterId> voter() const {
    if (user) return user->id;
    if (cookie) return cookie->voter;
    return std::nullopt;
  }
};

// Reads the address and the proofs of anonymous voters that "request" carries.
[[nodiscard]] Asker recognise(const http::Request& request, const KeyRing& keys,
                              const model::Settings& settings);

// What tells anonymous voters without a cookie apart: 16 bytes of a keyed hash of network and user
// agent; empty when the web server gives no address, since then all visitors with the same browser
// would look alike.
[[nodiscard]] std::string fingerprint_of(const base::Address& address, std::string_view user_agent,
                                         const Keys& keys);

// A new anonymous voter.
[[nodiscard]] model::VoterId random_voter();

// An address as the votes table holds it, in "form": 'h' and 16 bytes of a keyed hash of its
// network, '4' or '6' and the address itself, or nothing; nothing, too, for no address.
[[nodiscard]] std::string stored_address(const base::Address& address, const Keys& keys,
                                         model::StoreAddress form);

// A user agent as the votes table holds it: 16 bits of a keyed hash, never 0.
[[nodiscard]] std::uint16_t stored_agent(std::string_view user_agent, const Keys& keys);

}  // namespace identity
