#include "wordpress/authenticator.h"

#include <algorithm>
#include <utility>

#include "base/address.h"
#include "base/crypto.h"
#include "base/text.h"
#include "http/parse.h"
#include "wordpress/credentials.h"
#include "wordpress/password.h"
#include "wordpress/text.h"

namespace wordpress {
namespace {

// Each process limits the number of threads that hash passwords or wait for a password hash.
constexpr runtime::Semaphore::Bounds kHashing{
    .permits = 2, .waiting = 14, .max_wait = std::chrono::milliseconds(1000)};
constexpr std::string_view kNonceField = "_wpnonce";
constexpr std::size_t kPasswordCacheKeyBytes = 32;

// Returns the value of the last field named kNonceField, as PHP does.
template <typename Fields>
std::optional<std::string> nonce_in(const Fields& fields) {
  std::optional<std::string> nonce;
  if (!fields) return nonce;
  for (const http::Field& field : *fields) {
    if (field.name == kNonceField) nonce = field.value;
  }
  return nonce;
}

std::optional<std::string> nonce_in_query(std::string_view query) {
  if (query.find(kNonceField) == std::string_view::npos) return std::nullopt;
  return nonce_in(http::parse_form(query));
}

std::optional<std::string> nonce_in_body(const http::Request& request) {
  if (request.body.find(kNonceField) == std::string_view::npos) return std::nullopt;
  switch (http::body_type(request.content_type)) {
    case http::BodyType::form:
      return nonce_in(http::parse_form(request.body));
    case http::BodyType::multipart:
      return nonce_in(http::parse_multipart(request.content_type, request.body));
    default:
      return std::nullopt;
  }
}

// Returns the nonce that WordPress would read from the request (rest-api.php,
// rest_cookie_check_errors), even if the nonce is empty.
std::optional<std::string> nonce_of(const http::Request& request) {
  std::optional<std::string> nonce;
  if (request.method == http::Method::post) nonce = nonce_in_body(request);
  if (!nonce) nonce = nonce_in_query(request.query);
  if (!nonce && request.has_wp_nonce) nonce = std::string(request.wp_nonce);
  return nonce;
}

// If the request contains several logged-in cookies, returns the first one, as PHP does.
std::string logged_in_cookie(const http::Request& request, const LoginSettingsState& wp) {
  auto values = http::find_cookies(request.cookie, wp.logged_in_cookie);
  return values.empty() ? std::string() : std::move(values.front());
}

// Returns whether the nonce belongs to "user", and records the result in "login". If nobody is
// logged in, "user" is 0.
bool check_nonce(const std::string& nonce, std::uint64_t user, const std::string& cookie,
                 const LoginSettingsState& wp, base::Time now, cms::LoginState& login) {
  const auto parsed = parse_logged_in_cookie(cookie);
  const NonceHolder holder{user, parsed ? std::string_view(parsed->token) : std::string_view()};
  const bool is_valid = wp.nonce_salt && is_rest_nonce(nonce, holder, *wp.nonce_salt, now);
  login.has_stale_nonce = !is_valid;
  if (is_valid) login.fresh_nonce = create_rest_nonce(holder, *wp.nonce_salt, now);
  return is_valid;
}

// Returns whether the sender must wait, and records the waiting time in "login".
bool record_wait(const limit::LoginGuard::Wait& wait, cms::LoginState& login) {
  login.retry_after = std::chrono::ceil<std::chrono::seconds>(wait.time);
  login.limit = wait.limit;
  return login.retry_after.count() > 0;
}

// Returns the user's permissions on the site (class-wp-user.php, has_cap). Ignores filters added by
// WordPress plugins.
model::Rights rights_of(const User& user, const Users::Meta& meta, const LoginSettingsState& wp) {
  model::Rights rights;
  if (std::ranges::find(wp.super_admins, user.login) != wp.super_admins.end()) {
    rights = model::Rights::all();
    rights.add(model::Right::administer_network);
    return rights;
  }
  const Capabilities capabilities = capabilities_of(meta.capabilities, wp.roles);
  if (can(capabilities, "manage_options")) rights.add(model::Right::administer);
  if (can(capabilities, "list_users")) rights.add(model::Right::see_persons);
  if (can(capabilities, "edit_others_posts")) rights.add(model::Right::see_unpublished);
  if (can(capabilities, "manage_network_options")) rights.add(model::Right::administer_network);
  return rights;
}

}  // namespace

struct Authenticator::Attempt {
  const http::Request& request;
  const cms::Route route;
  const cms::LoginServices& services;
  const std::shared_ptr<const LoginSettingsState> wp;
  const base::Address address = base::Address::parse(request.remote_address);
  cms::LoginState login = {};

  [[nodiscard]] base::Time now() const { return request.received_at; }
  [[nodiscard]] bool is_protected() const { return route == cms::Route::protected_; }
  [[nodiscard]] cms::User user_in(const Account& account) const {
    return {account.user.id, rights_of(account.user, account.meta, *wp)};
  }
};

Authenticator::Authenticator(const config::WordPressSite& config, const LoginSettings& site,
                             const Users& users)
    : rules_(config.logins),
      site_(site),
      users_(users),
      verified_passwords_(base::random_bytes(kPasswordCacheKeyBytes)),
      known_network_hashing_(kHashing),
      new_network_hashing_(kHashing) {}

cms::Identification Authenticator::identify(const http::Request& request, cms::Route route,
                                            const cms::LoginServices& services) {
  Attempt attempt{request, route, services, site_.state()};
  cms::LoginState& login = attempt.login;
  const std::string cookie = logged_in_cookie(request, *attempt.wp);
  const auto nonce = nonce_of(request);
  login.has_login_page = !cookie.empty() || nonce;
  const auto parsed = parse_logged_in_cookie(cookie);
  const bool is_post = request.method == http::Method::post;
  login.lacks_nonce = !nonce && parsed && !is_expired(*parsed, attempt.now(), is_post);
  // A cookie without a nonce does not authenticate its user, so the cookie is not checked.
  if (!nonce && request.authorization.empty()) return {std::nullopt, std::move(login)};

  CookieCheck check = check_cookie(attempt, cookie);
  if (check.user) {
    const bool is_intended =
        nonce && check_nonce(*nonce, check.user->id, cookie, *attempt.wp, attempt.now(), login);
    return {is_intended ? check.user : std::nullopt, std::move(login)};
  }
  std::optional<cms::User> user = user_of_password(attempt);
  // An invalid cookie does not count as a failed login if the request also contains a correct
  // password.
  if (check.is_forged && !user && !login.is_overloaded && attempt.is_protected()) {
    services.guard.cookie_failed(attempt.address.network(), attempt.now());
  }
  if (nonce && !user) check_nonce(*nonce, 0, cookie, *attempt.wp, attempt.now(), login);
  return {user, std::move(login)};
}

std::optional<Authenticator::Account> Authenticator::find_account(const Attempt& attempt,
                                                                  std::string_view name,
                                                                  bool or_by_email) const {
  return attempt.services.sessions.with_session(
      [&](db::Connection& connection) -> std::optional<Account> {
        auto user = users_.by_login(connection, name);
        if (!user && or_by_email && is_email(name)) user = users_.by_email(connection, name);
        // Read metadata even for an unknown user, so that known and unknown names take the same
        // time.
        auto meta = users_.meta(connection, user ? user->id : 0);
        if (!user) return std::nullopt;
        return Account{*std::move(user), std::move(meta)};
      });
}

Authenticator::CookieCheck Authenticator::check_cookie(Attempt& attempt,
                                                       const std::string& cookie_text) {
  const base::Time now = attempt.now();
  const auto cookie = parse_logged_in_cookie(cookie_text);
  const bool is_post = attempt.request.method == http::Method::post;
  if (!cookie || !attempt.wp->logged_in_salt || cookie->username.size() > kMaxUserNameBytes ||
      is_expired(*cookie, now, is_post)) {
    return {};
  }
  limit::LoginGuard& guard = attempt.services.guard;
  const limit::LoginGuard::Attempt counted{attempt.address.network(), cookie->username,
                                           cookie->username};
  // A user who has recently logged in from the same network is never delayed. Otherwise, another
  // client in this network could lock out an administrator by sending invalid cookies. The
  // exemption is safe, because nobody can guess a cookie's signature.
  if (attempt.is_protected() && !guard.knows(counted, now)) {
    if (record_wait(guard.wait_for_cookie(counted.network, now), attempt.login)) return {};
  }
  const auto account = find_account(attempt, normalized_login(cookie->username), false);
  if (!account || !is_signed(*cookie, account->user.password_hash, *attempt.wp->logged_in_salt)) {
    return {std::nullopt, true};
  }
  if (!has_session(account->meta.session_tokens, cookie->token, now)) return {};
  if (attempt.is_protected()) guard.succeeded(counted, now);
  return {attempt.user_in(*account), false};
}

std::optional<cms::User> Authenticator::user_of_password(Attempt& attempt) {
  const auto credentials = parse_basic_auth(attempt.request.authorization);
  if (!credentials || credentials->user.size() > kMaxUserNameBytes) return std::nullopt;
  if (!accepts_basic(attempt)) return std::nullopt;

  limit::LoginGuard& guard = attempt.services.guard;
  const base::Time now = attempt.now();
  const std::string name = normalized_login(credentials->user);
  const std::string sent = base::to_lower(name);
  limit::LoginGuard::Attempt counted{attempt.address.network(), sent, sent};
  const auto must_wait = [&] { return record_wait(guard.wait(counted, now), attempt.login); };
  if (must_wait()) return std::nullopt;
  const auto account = find_account(attempt, name, true);
  const std::string counted_as = account ? account->user.login : sent;
  counted.user = counted_as;
  if (must_wait()) return std::nullopt;
  auto& semaphore = guard.knows(counted, now) ? known_network_hashing_ : new_network_hashing_;
  switch (check_password(attempt, credentials->password, account, semaphore)) {
    case PasswordCheck::busy:
      attempt.login.is_overloaded = true;
      return std::nullopt;
    case PasswordCheck::wrong:
      guard.failed(counted, now);
      return std::nullopt;
    case PasswordCheck::right:
      break;
  }
  guard.succeeded(counted, now);
  return attempt.user_in(*account);
}

// Checks the password. Also hashes the password for an unknown user, but never returns
// PasswordCheck::right in that case.
Authenticator::PasswordCheck Authenticator::check_password(const Attempt& attempt,
                                                           std::string_view password,
                                                           const std::optional<Account>& account,
                                                           runtime::Semaphore& semaphore) {
  const base::Time now = attempt.now();
  const std::string list = account ? account->meta.app_passwords : std::string();
  const std::string hash = account ? account->user.password_hash : std::string(kDummyHash);
  const std::string stored = hash + "\n" + list;
  if (account && verified_passwords_.contains(password, stored, now)) return PasswordCheck::right;
  const runtime::Semaphore::Permit permit(semaphore);
  if (!permit.is_granted()) return PasswordCheck::busy;
  // Another request with the same password may have computed the hash while this request was
  // waiting.
  if (account && verified_passwords_.contains(password, stored, now)) return PasswordCheck::right;
  const bool takes_app_passwords = rules_.app_passwords && attempt.wp->uses_app_passwords;
  const bool matches =
      (takes_app_passwords && is_app_password(password, list)) ||
      (rules_.account_passwords && is_account_password(base::trim_like_php(password), hash));
  if (!matches && takes_app_passwords) equalize_timing_of_app_passwords(password, list);
  if (!matches && rules_.account_passwords) equalize_timing_of_account_passwords(password, hash);
  if (!account || !matches) return PasswordCheck::wrong;
  verified_passwords_.fill(password, stored, now);
  return PasswordCheck::right;
}

bool Authenticator::accepts_basic(const Attempt& attempt) {
  if (!attempt.request.https && rules_.environment_type != "local" && !rules_.basic_over_http) {
    log_ignored(attempt, "the request did not come over HTTPS",
                "allow-basic-over-http, or WordPress's WP_ENVIRONMENT_TYPE");
    return false;
  }
  if (rules_.account_passwords || (rules_.app_passwords && attempt.wp->uses_app_passwords)) {
    return true;
  }
  if (rules_.app_passwords) {
    log_ignored(attempt, "nobody has made an application password in WordPress yet",
                "allow-account-passwords");
  } else {
    log_ignored(attempt, "application passwords are switched off", "allow-app-passwords");
  }
  return false;
}

// Logs at most one event a minute, because some clients send passwords for other services with
// every request.
void Authenticator::log_ignored(const Attempt& attempt, std::string_view why,
                                std::string_view option) {
  if (!ignored_.passes(attempt.now())) return;
  attempt.services.log.warning("basic_authentication_ignored",
                               {{"reason", why}, {"option", option}});
}

}  // namespace wordpress
