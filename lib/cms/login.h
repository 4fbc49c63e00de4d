#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "db/pool.h"
#include "limit/login_guard.h"
#include "model/rights.h"
#include "runtime/log.h"

namespace cms {

// A registered user of the CMS.
struct User {
  std::uint64_t id = 0;  // 1 ... 2^63 - 1
  model::Rights rights;

  bool operator==(const User&) const = default;
};

// What the CMS knows about a request's login, whether or not the request identifies a user.
struct LoginState {
  // A new REST nonce if the request had a valid one (header X-WP-Nonce). Otherwise empty.
  std::string fresh_nonce;
  // The nonce, by which the CMS's own pages are recognized, is invalid because the page was loaded
  // before a login or logout.
  bool has_stale_nonce = false;
  // The request has a login cookie, which may be valid, but no nonce. So the page does not know
  // that somebody is logged in.
  bool lacks_nonce = false;
  // Not 0 if too many logins have failed. Passwords are not checked during this time.
  std::chrono::seconds retry_after{0};
  limit::Limit limit = {};  // the limit that was reached, if "retry_after" is not 0
  // The password was not checked because too many checks are running. A retry may succeed, so the
  // request must not be treated as anonymous.
  bool is_overloaded = false;
  // The request has a login cookie or a nonce from the CMS, so the sender has a page to log in
  // with.
  bool has_login_page = false;
};

struct Identification {
  std::optional<User> user;  // logged in with any kind of credentials
  LoginState login;
};

// Limits on failed logins are stricter on protected routes, where no other limit applies.
enum class Route { open, protected_ };

// What a CMS uses to identify users. All members must outlive the call.
struct LoginServices {
  db::Pool& sessions;
  limit::LoginGuard& guard;
  const runtime::Log& log;
};

}  // namespace cms
