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
struct Requester {
  base::Address address;
  std::optional<VoterCookie> cookie;           // of an anonymous voter, valid
  std::optional<model::VoterId> device_voter;  // the anonymous voter of a device token
  bool has_malformed_device_token = false;
  std::optional<User> user;  // logged in, by whatever proof

  // A new REST nonce for the sender, who showed a valid one; empty for others.
  std::string fresh_nonce;
  // A nonce came that is not valid: the page that sent it is older than the log-in or log-out.
  bool has_stale_nonce = false;
  // Too many logins have failed: the password that came was not looked at, nor will be until then.
  std::chrono::seconds login_retry_after{0};
  // The password was not looked at, since too many others are being: the same request may be right
  // a moment later, and must not be taken for a stranger's.
  bool authentication_overloaded = false;
  // WordPress's cookie or a nonce came: the sender has a page to log in with.
  bool has_login_page = false;

  // The anonymous voter of the browser or program, whoever is logged in there. The cookie comes
  // first: it is older than the token that a page has just drawn.
  [[nodiscard]] std::optional<model::VoterId> anonymous_voter() const {
    if (cookie) return cookie->voter;
    return device_voter;
  }

  // The voter, if the request proves one.
  [[nodiscard]] std::optional<model::VoterId> voter() const {
    if (user) return user->id;
    return anonymous_voter();
  }
};

// Reads the address and the proofs of anonymous voters that "request" carries.
[[nodiscard]] Requester recognise(const http::Request& request, const KeyRing& keys,
                                  const model::Settings& settings);

inline constexpr std::size_t kMinDeviceTokenLength = 22;
inline constexpr std::size_t kMaxDeviceTokenLength = 128;

// Whether "text" has the form of a device token: its length is in these bounds, and all of it is in
// [A-Za-z0-9_-].
[[nodiscard]] bool is_device_token(std::string_view text);

// The anonymous voter of a device token: a keyed hash, the same whenever the token comes.
[[nodiscard]] model::VoterId voter_of_device(std::string_view token, const Keys& keys);

// The anonymous voter of a vote without any proof: a keyed hash of the request's id, so that a
// request that the web server repeats on another worker is the same vote.
[[nodiscard]] model::VoterId voter_of_request(std::string_view request_id, const Keys& keys);

// An address as the votes table holds it, in "form": 'h' and 16 bytes of a keyed hash of its
// network, '4' or '6' and the address itself, or nothing; nothing, too, for no address.
[[nodiscard]] std::string stored_address(const base::Address& address, const Keys& keys,
                                         model::StoreAddress form);

// A user agent as the votes table holds it: 16 bits of a keyed hash, never 0.
[[nodiscard]] std::uint16_t stored_agent(std::string_view user_agent, const Keys& keys);

}  // namespace identity
