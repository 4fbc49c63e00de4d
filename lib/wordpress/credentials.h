#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace wordpress {

// The credentials in a request: the logged-in cookie with a nonce, or a user name and a password.

// WordPress's settings for a site's cookie names.
struct CookieNames {
  std::string logged_in_cookie;  // the constant LOGGED_IN_COOKIE; empty if not defined
  std::string cookie_hash;       // the constant COOKIEHASH; empty if not defined
  std::string network_siteurl;   // siteurl in a network's sitemeta, unchanged; otherwise empty
  std::string siteurl;           // WP_SITEURL, or else the option siteurl
};

// Returns the name of the logged-in cookie (default-constants.php, wp_cookie_constants).
[[nodiscard]] std::string logged_in_cookie_name(const CookieNames& names);

// The content of the logged-in cookie. It is not verified until is_signed() and has_session() are
// true for the user "username".
//
// Format: "<username>|<expiration>|<token>|<signature>".
struct LoggedInCookie {
  std::string username;    // as typed at login; compare it by the database's collation
  std::string expiration;  // seconds since 1970, as the string that is signed
  std::string token;       // the session's token
  std::string signature;

  bool operator==(const LoggedInCookie&) const = default;
};

inline constexpr std::size_t kMaxLoggedInCookieBytes = 4096;

// Parses the cookie's value, which must be percent-decoded already. Returns nothing unless the
// value has four fields.
[[nodiscard]] std::optional<LoggedInCookie> parse_logged_in_cookie(std::string_view text);

// Returns whether the cookie is expired. For POST, WordPress accepts an expired cookie for one more
// hour, so that a form that was opened in time can still be sent. The session must still exist.
[[nodiscard]] bool is_expired(const LoggedInCookie& cookie, base::Time now, bool is_post);

// Returns whether WordPress signed the cookie for the user whose users.user_pass is "user_pass".
// "salt" is wp_salt() for KeyScheme::logged_in. Changing the password makes a cookie invalid
// because four characters of the password's hash are signed, too. WordPress 6.8 chose four
// different characters. Both choices are accepted. (pluggable.php, wp_validate_auth_cookie)
[[nodiscard]] bool is_signed(const LoggedInCookie& cookie, std::string_view user_pass,
                             std::string_view salt);

// Returns whether "session_tokens" contains the session for "token" and the session is not expired
// at "now". "session_tokens" is the user's usermeta with that name, or empty if there is none.
// WordPress removes the session when the user logs out. (class-wp-user-meta-session-tokens.php)
[[nodiscard]] bool has_session(std::string_view session_tokens, std::string_view token,
                               base::Time now);

// A nonce's user and session.
struct NonceHolder {
  std::uint64_t user = 0;  // 0 if nobody is logged in
  std::string_view token;  // from the logged-in cookie, even if invalid; empty without a cookie
};

// Create and check WordPress's nonces for its REST API: 10 lower-case hexadecimal digits, valid for
// 12 to 24 hours. "salt" is wp_salt() for KeyScheme::nonce. (pluggable.php, wp_create_nonce and
// wp_verify_nonce, with the action "wp_rest")
[[nodiscard]] std::string create_rest_nonce(const NonceHolder& holder, std::string_view salt,
                                            base::Time now);
[[nodiscard]] bool is_rest_nonce(std::string_view text, const NonceHolder& holder,
                                 std::string_view salt, base::Time now);

struct BasicCredentials {
  std::string user;  // contains no colon
  std::string password;

  bool operator==(const BasicCredentials&) const = default;
};

inline constexpr std::size_t kMaxAuthorizationBytes = 8192;

// Parses an Authorization header in the same way as PHP: "Basic" in any case, then base64, which is
// split at the first colon. Invalid characters in the base64 are skipped. Returns nothing for
// another scheme, without a colon, or with a NUL. Also returns nothing for an empty password,
// because PHP and WordPress treat such a request as a request without credentials.
[[nodiscard]] std::optional<BasicCredentials> parse_basic_auth(std::string_view authorization);

}  // namespace wordpress
