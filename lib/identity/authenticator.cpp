#include "identity/authenticator.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "http/parse.h"
#include "identity/basic_auth.h"
#include "wordpress/app_password.h"
#include "wordpress/login_cookie.h"
#include "wordpress/nonce.h"
#include "wordpress/password.h"
#include "wordpress/user_name.h"

namespace identity {
namespace {

// Per process: the other threads must stay free for requests that wait for the database.
constexpr base::Semaphore::Bounds kHashing{
    .permits = 2, .waiting = 14, .max_wait = std::chrono::milliseconds(1000)};
constexpr std::string_view kNonceField = "_wpnonce";

// The last field of that name in a query or a form, as PHP reads it.
std::optional<std::string> nonce_in(std::string_view form) {
  if (form.find(kNonceField) == std::string_view::npos) return std::nullopt;
  std::optional<std::string> nonce;
  const auto fields = http::parse_form(form);
  if (!fields) return std::nullopt;
  for (const http::Field& field : *fields) {
    if (field.name == kNonceField) nonce = field.value;
  }
  return nonce;
}

// The effective nonce: its presence decides, not its value (rest-api.php,
// rest_cookie_check_errors).
std::optional<std::string> nonce_of(const http::Request& request) {
  const bool has_form = request.method == http::Method::post &&
                        http::body_type(request.content_type) == http::BodyType::form;
  std::optional<std::string> nonce = has_form ? nonce_in(request.body) : std::nullopt;
  if (!nonce) nonce = nonce_in(request.query);
  if (!nonce && request.has_wp_nonce) nonce = std::string(request.wp_nonce);
  return nonce;
}

// Of several cookies with one name, PHP takes the first.
std::string logged_in_cookie(const http::Request& request,
                             const wordpress::LoginSettingsState& wp) {
  auto values = http::find_cookies(request.cookie, wp.logged_in_cookie);
  return values.empty() ? std::string() : std::move(values.front());
}

// Records in "requester" whether the nonce belongs to "user", 0 for nobody. Returns the result.
bool check_nonce(const std::string& nonce, std::uint64_t user, const std::string& cookie,
                 const wordpress::LoginSettingsState& wp, base::Time now, Requester& requester) {
  const auto parsed = wordpress::parse_logged_in_cookie(cookie);
  const wordpress::NonceHolder holder{
      user, parsed ? std::string_view(parsed->token) : std::string_view()};
  const bool is_valid =
      wp.nonce_salt && wordpress::is_rest_nonce(nonce, holder, *wp.nonce_salt, now);
  requester.has_stale_nonce = !is_valid;
  if (is_valid) requester.fresh_nonce = wordpress::create_rest_nonce(holder, *wp.nonce_salt, now);
  return is_valid;
}

}  // namespace

Authenticator::Authenticator(const config::Config& config, const KeyRing& keys,
                             const wordpress::LoginSettings& site, const wordpress::Users& users,
                             db::Pool& sessions, limit::LoginGuard& guard, const base::Log& log)
    : rules_(config.logins),
      keys_(keys),
      site_(site),
      users_(users),
      sessions_(sessions),
      guard_(guard),
      log_(log),
      verified_passwords_(keys.front().verified_passwords),
      known_network_hashing_(kHashing),
      new_network_hashing_(kHashing) {}

Requester Authenticator::identify(const http::Request& request, const model::Settings& settings,
                                  Route route) {
  Requester requester = recognise(request, keys_, settings);
  const auto wp = site_.state();
  const std::string cookie = logged_in_cookie(request, *wp);
  const auto nonce = nonce_of(request);
  requester.has_login_page = !cookie.empty() || nonce;
  // A cookie alone does not authenticate, so it is not checked.
  if (!nonce && request.authorization.empty()) return requester;

  CookieCheck check = check_cookie(request, *wp, cookie, route, requester);
  if (check.user) {
    if (nonce && check_nonce(*nonce, check.user->id, cookie, *wp, request.received_at, requester)) {
      requester.user = std::move(check.user);
    }
    return requester;
  }
  requester.user = user_of_password(request, *wp, requester);
  // A sender who also has a correct password is legitimate.
  if (check.is_forged && !requester.user && !requester.authentication_overloaded &&
      route == Route::protected_) {
    guard_.cookie_failed(requester.address.network(), request.received_at);
  }
  if (nonce && !requester.user) check_nonce(*nonce, 0, cookie, *wp, request.received_at, requester);
  return requester;
}

bool Authenticator::may(const User& user, std::string_view capability) const {
  const auto wp = site_.state();
  if (std::ranges::find(wp->super_admins, user.login) != wp->super_admins.end()) return true;
  return wordpress::can(wordpress::capabilities_of(user.capabilities, wp->roles), capability);
}

std::optional<Authenticator::Account> Authenticator::find_account(std::string_view name,
                                                                  bool or_by_email) {
  return sessions_.with_session([&](db::Connection& connection) -> std::optional<Account> {
    auto user = users_.by_login(connection, name);
    if (!user && or_by_email && wordpress::is_email(name)) user = users_.by_email(connection, name);
    // Also for unknown users, so that it takes as long.
    auto meta = users_.meta(connection, user ? user->id : 0);
    if (!user) return std::nullopt;
    return Account{*std::move(user), std::move(meta)};
  });
}

User Authenticator::user_in(Account account) {
  return {account.user.id, std::move(account.user.login), std::move(account.meta.capabilities)};
}

Authenticator::CookieCheck Authenticator::check_cookie(const http::Request& request,
                                                       const wordpress::LoginSettingsState& wp,
                                                       const std::string& cookie_text, Route route,
                                                       Requester& requester) {
  const base::Time now = request.received_at;
  const auto cookie = wordpress::parse_logged_in_cookie(cookie_text);
  const bool is_post = request.method == http::Method::post;
  if (!cookie || !wp.logged_in_salt || cookie->username.size() > wordpress::kMaxUserNameBytes ||
      wordpress::is_expired(*cookie, now, is_post)) {
    return {};
  }
  const limit::LoginGuard::Attempt attempt{requester.address.network(), cookie->username,
                                           cookie->username};
  // Networks with an earlier login never wait: signatures cannot be guessed, and other people's
  // attempts must not lock an administrator out.
  if (route == Route::protected_ && !guard_.knows(attempt, now)) {
    requester.login_retry_after =
        std::chrono::ceil<std::chrono::seconds>(guard_.wait_for_cookie(attempt.network, now));
    if (requester.login_retry_after.count() > 0) return {};
  }
  auto account = find_account(wordpress::normalized_login(cookie->username), false);
  if (!account || !wordpress::is_signed(*cookie, account->user.password_hash, *wp.logged_in_salt)) {
    return {std::nullopt, true};
  }
  if (!wordpress::has_session(account->meta.session_tokens, cookie->token, now)) return {};
  if (route == Route::protected_) guard_.succeeded(attempt, now);
  return {user_in(*std::move(account)), false};
}

std::optional<User> Authenticator::user_of_password(const http::Request& request,
                                                    const wordpress::LoginSettingsState& wp,
                                                    Requester& requester) {
  const auto credentials = parse_basic_auth(request.authorization);
  if (!credentials || credentials->user.size() > wordpress::kMaxUserNameBytes) return std::nullopt;
  if (!accepts_basic(request, wp)) return std::nullopt;

  const base::Time now = request.received_at;
  const std::string name = wordpress::normalized_login(credentials->user);
  const std::string sent = base::to_lower(name);
  limit::LoginGuard::Attempt attempt{requester.address.network(), sent, sent};
  const auto must_wait = [&] {
    const auto wait = guard_.wait(attempt, now);
    requester.login_retry_after = std::chrono::ceil<std::chrono::seconds>(wait);
    return wait.count() > 0;
  };
  if (must_wait()) return std::nullopt;
  auto account = find_account(name, true);
  const std::string counted_as = account ? account->user.login : sent;
  attempt.user = counted_as;
  if (must_wait()) return std::nullopt;
  auto& semaphore = guard_.knows(attempt, now) ? known_network_hashing_ : new_network_hashing_;
  switch (check_password(credentials->password, account, wp, semaphore, now)) {
    case PasswordCheck::busy:
      requester.authentication_overloaded = true;
      return std::nullopt;
    case PasswordCheck::wrong:
      guard_.failed(attempt, now);
      return std::nullopt;
    case PasswordCheck::right:
      break;
  }
  guard_.succeeded(attempt, now);
  return user_in(*std::move(account));
}

// Never right without an account, but a password is hashed anyway.
Authenticator::PasswordCheck Authenticator::check_password(std::string_view password,
                                                           const std::optional<Account>& account,
                                                           const wordpress::LoginSettingsState& wp,
                                                           base::Semaphore& semaphore,
                                                           base::Time now) {
  const std::string list = account ? account->meta.app_passwords : std::string();
  const std::string hash =
      account ? account->user.password_hash : std::string(wordpress::kDummyHash);
  const std::string stored = hash + "\n" + list;
  if (account && verified_passwords_.contains(password, stored, now)) return PasswordCheck::right;
  const base::Semaphore::Permit permit(semaphore);
  if (!permit.is_granted()) return PasswordCheck::busy;
  // A client that sends concurrent requests waits for the hash of the first.
  if (account && verified_passwords_.contains(password, stored, now)) return PasswordCheck::right;
  const bool takes_app_passwords = rules_.app_passwords && wp.uses_app_passwords;
  const bool matches = (takes_app_passwords && wordpress::is_app_password(password, list)) ||
                       (rules_.account_passwords &&
                        wordpress::is_account_password(base::trim_like_php(password), hash));
  if (!matches && takes_app_passwords) wordpress::equalize_timing_of_app_passwords(password, list);
  if (!matches && rules_.account_passwords)
    wordpress::equalize_timing_of_account_passwords(password, hash);
  if (!account || !matches) return PasswordCheck::wrong;
  verified_passwords_.fill(password, stored, now);
  return PasswordCheck::right;
}

bool Authenticator::accepts_basic(const http::Request& request,
                                  const wordpress::LoginSettingsState& wp) {
  if (!request.https && rules_.environment_type != "local" && !rules_.basic_over_http) {
    log_ignored(request.received_at, "the request did not come over HTTPS",
                "allow-basic-over-http, or WordPress's WP_ENVIRONMENT_TYPE");
    return false;
  }
  if (rules_.account_passwords || (rules_.app_passwords && wp.uses_app_passwords)) return true;
  if (rules_.app_passwords) {
    log_ignored(request.received_at, "nobody has made an application password in WordPress yet",
                "allow-account-passwords");
  } else {
    log_ignored(request.received_at, "application passwords are switched off",
                "allow-app-passwords");
  }
  return false;
}

// At most once a minute: clients of some sites send unrelated passwords with every request.
void Authenticator::log_ignored(base::Time now, std::string_view why, std::string_view option) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  std::int64_t logged_at = logged_at_;
  if (second < logged_at + 60 || !logged_at_.compare_exchange_strong(logged_at, second)) return;
  log_.warning("basic_authentication_ignored", {{"reason", why}, {"option", option}});
}

}  // namespace identity
