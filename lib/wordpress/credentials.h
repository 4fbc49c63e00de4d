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

// The content of the logged-in cookie. Do not trust the fields until is_signed() and has_session()
// have returned true for the user "username".
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

// Parses the value of a logged-in cookie, which must already be percent-decoded. Returns nothing if
// the value does not have four fields.
[[nodiscard]] std::optional<LoggedInCookie> parse_logged_in_cookie(std::string_view text);

// In POST requests, WordPress accepts an expired cookie for one more hour if its session still
// exists, so that users can submit a form that they opened before the cookie expired.
[[nodiscard]] bool is_expired(const LoggedInCookie& cookie, base::Time now, bool is_post);

// Returns whether WordPress signed the cookie for the user whose password hash is "user_pass".
// "salt" is the result of wp_salt() for KeyScheme::logged_in. The signature covers four characters
// of the password hash, so a new password makes the cookie invalid. WordPress 6.8 changed the
// position of these characters in most hashes, and is_signed() accepts both positions
// (pluggable.php, wp_validate_auth_cookie).
[[nodiscard]] bool is_signed(const LoggedInCookie& cookie, std::string_view user_pass,
                             std::string_view salt);

// Returns whether "session_tokens" contains a session for "token" that has not expired at "now".
// "session_tokens" is the user's "session_tokens" metadata value, or empty if the user has no such
// value. WordPress removes the session when the user logs out
// (class-wp-user-meta-session-tokens.php).
[[nodiscard]] bool has_session(std::string_view session_tokens, std::string_view token,
                               base::Time now);

// The user and the session for which a nonce is valid.
struct NonceHolder {
  std::uint64_t user = 0;  // 0 if nobody is logged in
  std::string_view token;  // from the logged-in cookie, even if invalid; empty without a cookie
};

// These functions create and check WordPress's nonces for the REST API (pluggable.php,
// wp_create_nonce and wp_verify_nonce, with the action "wp_rest"). A nonce consists of 10
// lower-case hexadecimal digits and is valid for 12 to 24 hours. "salt" is the result of wp_salt()
// for KeyScheme::nonce.
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

// Parses an Authorization header in the same way as PHP: "Basic" in upper or lower case, followed
// by base64 text, which is decoded and split at the first colon. Invalid characters in the base64
// text are skipped. Returns nothing if the scheme is not "Basic", or if the decoded text contains
// no colon or a NUL byte. Also returns nothing for an empty password, because PHP and WordPress
// ignore credentials without a password.
[[nodiscard]] std::optional<BasicCredentials> parse_basic_auth(std::string_view authorization);

}  // namespace wordpress
