#include "wordpress/credentials.h"

#include <algorithm>
#include <array>

#include "base/crypto.h"
#include "base/text.h"
#include "wordpress/php_serialized.h"

namespace wordpress {
namespace {

constexpr std::chrono::hours kPostGrace{1};
constexpr std::size_t kFragmentLength = 4;

std::int64_t unix_seconds(base::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

// Returns nothing unless "text" consists of 1 to 17 digits. The limit of 17 digits prevents
// overflow.
std::optional<std::int64_t> parse_seconds(std::string_view text) {
  constexpr std::size_t kMaxDigits = 17;
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return base::parse_number<std::int64_t>(text);
}

bool is_signed_with(const LoggedInCookie& cookie, std::string_view fragment,
                    std::string_view salt) {
  const std::string end = "|" + cookie.expiration + "|" + cookie.token;
  const std::string key =
      base::to_hex(base::hmac_md5(salt, cookie.username + "|" + std::string(fragment) + end));
  const std::string signature = base::to_hex(base::hmac_sha256(key, cookie.username + end));
  return base::equals_in_constant_time(signature, cookie.signature);
}

// A session is an array that contains the expiration time. Older WordPress releases stored only the
// expiration time.
std::optional<std::int64_t> expiration_of(const wordpress::PhpValue& session) {
  const wordpress::PhpValue* const value =
      session.as_array() != nullptr ? session.find("expiration") : &session;
  if (value == nullptr) return std::nullopt;
  if (const auto* seconds = std::get_if<std::int64_t>(&value->data)) return *seconds;
  const std::string* const text = value->as_string();
  return text != nullptr ? parse_seconds(*text) : std::nullopt;
}

constexpr std::string_view kAction = "wp_rest";
constexpr std::size_t kFirstDigit = 20;
constexpr std::size_t kDigits = 10;

// Returns the number of 12-hour intervals since 1970, rounded up (pluggable.php, wp_nonce_tick).
std::int64_t tick_at(base::Time now) {
  using Tick = std::chrono::duration<std::int64_t, std::ratio<12L * 60 * 60>>;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return std::chrono::ceil<Tick>(seconds.time_since_epoch()).count();
}

std::string nonce_of(std::int64_t tick, const NonceHolder& holder, std::string_view salt) {
  std::string message = std::to_string(tick);
  message.append("|").append(kAction);
  message.append("|").append(std::to_string(holder.user));
  message.append("|").append(holder.token);
  return base::to_hex(base::hmac_md5(salt, message)).substr(kFirstDigit, kDigits);
}

}  // namespace

std::string logged_in_cookie_name(const CookieNames& names) {
  if (!names.logged_in_cookie.empty()) return names.logged_in_cookie;
  const std::string prefix = "wordpress_logged_in_";
  if (!names.cookie_hash.empty()) return prefix + names.cookie_hash;
  // In a network, the trailing slash is part of the hashed URL.
  if (!names.network_siteurl.empty())
    return prefix + base::to_hex(base::md5(names.network_siteurl));
  const std::string_view url = names.siteurl;
  return prefix + base::to_hex(base::md5(url.substr(0, url.find_last_not_of("/\\") + 1)));
}

std::optional<LoggedInCookie> parse_logged_in_cookie(std::string_view text) {
  if (text.size() > kMaxLoggedInCookieBytes || std::ranges::count(text, '|') != 3) {
    return std::nullopt;
  }
  std::array<std::string, 4> fields;
  for (std::string& field : fields) field = base::take_until(text, '|');
  return LoggedInCookie{fields[0], fields[1], fields[2], fields[3]};
}

bool is_expired(const LoggedInCookie& cookie, base::Time now, bool is_post) {
  const auto expiration = parse_seconds(cookie.expiration);
  if (!expiration) return true;
  const std::chrono::seconds grace = is_post ? kPostGrace : std::chrono::seconds::zero();
  return *expiration + grace.count() < unix_seconds(now);
}

bool is_signed(const LoggedInCookie& cookie, std::string_view user_pass, std::string_view salt) {
  const auto middle =
      user_pass.substr(std::min<std::size_t>(8, user_pass.size())).substr(0, kFragmentLength);
  if (is_signed_with(cookie, middle, salt)) return true;
  // For hashes that begin with "$P$" or "$2y$", every WordPress release uses the middle of the hash
  // to sign cookies.
  if (user_pass.starts_with("$P$") || user_pass.starts_with("$2y$")) return false;
  const auto end = user_pass.substr(user_pass.size() - std::min(kFragmentLength, user_pass.size()));
  return is_signed_with(cookie, end, salt);
}

bool has_session(std::string_view session_tokens, std::string_view token, base::Time now) {
  const auto sessions = wordpress::parse_php_serialized(session_tokens);
  if (!sessions) return false;
  // The array keys are digests of the tokens, so the duration of the lookup reveals nothing about
  // the token.
  const wordpress::PhpValue* const session = sessions->find(base::to_hex(base::sha256(token)));
  if (session == nullptr) return false;
  const auto expiration = expiration_of(*session);
  return expiration && *expiration >= unix_seconds(now);
}

std::string create_rest_nonce(const NonceHolder& holder, std::string_view salt, base::Time now) {
  return nonce_of(tick_at(now), holder, salt);
}

bool is_rest_nonce(std::string_view text, const NonceHolder& holder, std::string_view salt,
                   base::Time now) {
  const std::int64_t tick = tick_at(now);
  return base::equals_in_constant_time(nonce_of(tick, holder, salt), text) ||
         base::equals_in_constant_time(nonce_of(tick - 1, holder, salt), text);
}

std::optional<BasicCredentials> parse_basic_auth(std::string_view authorization) {
  constexpr std::string_view kScheme = "Basic ";
  if (authorization.size() > kMaxAuthorizationBytes) return std::nullopt;
  if (!base::equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  const std::string text = base::from_base64_like_php(authorization.substr(kScheme.size()));
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return std::nullopt;
  if (text.find('\0') != std::string::npos) return std::nullopt;
  return BasicCredentials{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace wordpress
