#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace wordpress {

// What requests carry to log in: the logged-in cookie, with a nonce, or a name and a password.

// WordPress's settings of a site's cookies.
struct CookieNames {
  std::string logged_in_cookie;  // the constant LOGGED_IN_COOKIE; empty: not defined
  std::string cookie_hash;       // the constant COOKIEHASH; empty: not defined
  std::string network_siteurl;   // of a network: siteurl in sitemeta, as it is; else empty
  std::string siteurl;           // WP_SITEURL, else the option siteurl
};

// The name of the logged-in cookie (default-constants.php, wp_cookie_constants).
[[nodiscard]] std::string logged_in_cookie_name(const CookieNames& names);

// The content of the logged-in cookie. It is not verified until is_signed() and has_session() are
// true for the user "username".
//
// Format: "<username>|<expiration>|<token>|<signature>".
struct LoggedInCookie {
  std::string username;    // as written at log-in; find the user by the database's collation
  std::string expiration;  // seconds since 1970, as written, since the signature is over the text
  std::string token;       // of the session
  std::string signature;

  bool operator==(const LoggedInCookie&) const = default;
};

inline constexpr std::size_t kMaxLoggedInCookieBytes = 4096;

// Reads the cookie's value, percent-decoded. Nothing unless there are four fields.
[[nodiscard]] std::optional<LoggedInCookie> parse_logged_in_cookie(std::string_view text);

// WordPress accepts the cookie for one more hour on POST, so that a form that was opened in time is
// not lost; the session must still exist.
[[nodiscard]] bool is_expired(const LoggedInCookie& cookie, base::Time now, bool is_post);

// Whether WordPress signed the cookie for the user with this users.user_pass. "salt" is wp_salt()
// of KeyScheme::logged_in. Changing the password makes a cookie invalid, since four characters of
// its hash are signed, too: which ones changed with WordPress 6.8, and both are right here.
// (pluggable.php, wp_validate_auth_cookie)
[[nodiscard]] bool is_signed(const LoggedInCookie& cookie, std::string_view user_pass,
                             std::string_view salt);

// Whether "session_tokens", the text of the user's usermeta of that name (empty if there is none),
// holds the session of "token", not expired at "now". Logging out removes it.
// (class-wp-user-meta-session-tokens.php)
[[nodiscard]] bool has_session(std::string_view session_tokens, std::string_view token,
                               base::Time now);

// The user and session of a nonce.
struct NonceHolder {
  std::uint64_t user = 0;  // 0: nobody is logged in
  std::string_view token;  // of the logged-in cookie, valid or not; empty without one
};

// WordPress's nonces for its REST API (pluggable.php, wp_create_nonce and wp_verify_nonce, with
// the action "wp_rest"): 10 lower-case hexadecimal digits, valid for 12 to 24 hours. "salt" is
// wp_salt() of KeyScheme::nonce.
[[nodiscard]] std::string create_rest_nonce(const NonceHolder& holder, std::string_view salt,
                                            base::Time now);
[[nodiscard]] bool is_rest_nonce(std::string_view text, const NonceHolder& holder,
                                 std::string_view salt, base::Time now);

struct BasicCredentials {
  std::string user;  // without a colon
  std::string password;

  bool operator==(const BasicCredentials&) const = default;
};

inline constexpr std::size_t kMaxAuthorizationBytes = 8192;

// Parses an Authorization header as PHP does: "Basic" in any case, then base64 in which invalid
// characters are skipped, split at the first colon. Nothing for another scheme, without a colon,
// with an empty password (PHP and WordPress treat such a request as one without credentials), or
// with a NUL.
[[nodiscard]] std::optional<BasicCredentials> parse_basic_auth(std::string_view authorization);

}  // namespace wordpress
