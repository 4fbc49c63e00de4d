#include "wordpress/authenticator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/text.h"
#include "config/config.h"
#include "support/clock.h"
#include "support/database.h"
#include "support/wordpress_site.h"
#include "wordpress/credentials.h"
#include "wordpress/password.h"

namespace {

using cms::Identification;
using model::Right;
using support::kNow;
using namespace std::chrono_literals;

const std::string kSalt = "logged in keylogged in salt";
const std::string kNonceSalt = "nonce keynonce salt";
const std::string kToken(43, 't');
const std::string kExpiration = "1795086400";
constexpr std::string_view kAppPassword = "aB3dE5gH7jK9mN1pQ3sT5vX7";
constexpr std::string_view kAccountPassword = "secret of the editor";
const std::string kCookieName = "wordpress_logged_in_test";
constexpr std::uint64_t kEditor = 7;
constexpr std::uint64_t kAdmin = 8;

std::string php_string(std::string_view text) {
  return "s:" + std::to_string(text.size()) + ":\"" + std::string(text) + "\";";
}

// Returns a value for the user meta key _application_passwords that contains one password.
std::string app_passwords(std::string_view password) {
  return "a:1:{i:0;a:1:{" + php_string("password") + php_string(wordpress::fast_hash(password)) +
         "}}";
}

// Returns a value for the user meta key session_tokens that contains one session.
std::string sessions(const std::string& token, const std::string& expiration) {
  return "a:1:{" + php_string(base::to_hex(base::sha256(token))) + "a:1:{" +
         php_string("expiration") + "i:" + expiration + ";}}";
}

std::string base64(const std::string& text) { return base::to_base64(text); }

std::string basic(const std::string& user, std::string_view password) {
  return "Basic " + base64(user + ":" + std::string(password));
}

// Returns an MD5 hash, which is WordPress's oldest and only fast format.
std::string md5_hash(std::string_view password) { return base::to_hex(base::md5(password)); }

// Returns the logged-in cookie that WordPress signs for a user with the password hash "user_pass".
std::string cookie_value(const std::string& login, std::string_view user_pass,
                         const std::string& token = kToken,
                         const std::string& expiration = kExpiration) {
  const std::string fragment(user_pass.substr(user_pass.size() - 4));
  const std::string end = "|" + expiration + "|" + token;
  const std::string key = base::to_hex(base::hmac_md5(kSalt, login + "|" + fragment + end));
  return login + end + "|" + base::to_hex(base::hmac_sha256(key, login + end));
}

// Owns the strings of a request, because an http::Request contains only string views.
struct Sent {
  std::string cookie, nonce, authorization, query, body, address = "192.0.2.1";
  http::Method method = http::Method::get;
  bool https = true;
  bool has_nonce = false;
  base::Time at = kNow;
  cms::Route route = cms::Route::open;

  Sent to_protected_route() const {
    Sent copy = *this;
    copy.route = cms::Route::protected_;
    return copy;
  }
  Sent with_cookie(const std::string& value) const {
    Sent copy = *this;
    copy.cookie = kCookieName + "=" + value;
    return copy;
  }
  Sent with_nonce(const std::string& text) const {
    Sent copy = *this;
    copy.nonce = text;
    copy.has_nonce = true;
    return copy;
  }
  Sent with_basic(const std::string& user, std::string_view password) const {
    Sent copy = *this;
    copy.authorization = basic(user, password);
    return copy;
  }
};

class Authenticator : public ::testing::Test {
 protected:
  Authenticator() {
    config_.logins.cookie_name = kCookieName;
    config_.keys.logged_in_key = "logged in key";
    config_.keys.logged_in_salt = "logged in salt";
    config_.keys.nonce_key = "nonce key";
    config_.keys.nonce_salt = "nonce salt";
    site_.set_option("using_application_passwords", "1");
    site_.set_option("wp_user_roles", R"(a:1:{s:13:"administrator";a:1:{s:12:"capabilities";a:1:{)"
                                      R"(s:14:"manage_options";b:1;}}})");
    site_.add_user(kEditor, "Editor.Joe", md5_hash(kAccountPassword), "joe@example.org");
    site_.set_meta(kEditor, "_application_passwords", app_passwords(kAppPassword));
    site_.set_meta(kEditor, "session_tokens", sessions(kToken, kExpiration));
    site_.add_user(kAdmin, "admin", md5_hash("secret of the admin"), "admin@example.org");
    site_.set_meta(kAdmin, "wp_capabilities", R"(a:1:{s:13:"administrator";b:1;})");
  }

  void make_network() {
    config_.network.exists = true;
    config_.network.blog_id = 2;
    config_.table_prefix = "wp_2_";
    site_.make_network();
    site_.connection().execute("CREATE TABLE wp_2_options LIKE wp_options");
    grant_select("wp_2_options");
    grant_select("wp_sitemeta");
    site_.set_network_option("using_application_passwords", "1");
  }

  // Creates the authenticator on first use, so that a test can change the configuration beforehand.
  wordpress::Authenticator& authenticator() {
    if (!authenticator_) {
      wp_ = std::make_unique<wordpress::LoginSettings>(config_);
      wp_->refresh(connection_);
      users_ = std::make_unique<wordpress::Users>(config_);
      authenticator_ = std::make_unique<wordpress::Authenticator>(config_, *wp_, *users_);
    }
    return *authenticator_;
  }
  Identification ask(const Sent& sent) {
    http::Request request;
    request.method = sent.method;
    request.cookie = sent.cookie;
    request.wp_nonce = sent.nonce;
    request.has_wp_nonce = sent.has_nonce;
    request.authorization = sent.authorization;
    request.query = sent.query;
    request.body = sent.body;
    request.content_type = "application/x-www-form-urlencoded";
    request.remote_address = sent.address;
    request.https = sent.https;
    request.received_at = sent.at;
    return authenticator().identify(request, sent.route,
                                    {.sessions = sessions_, .guard = guard_, .log = log_});
  }
  // Returns the id of the user who is logged in, or 0.
  std::uint64_t user(const Sent& sent) {
    const Identification requester = ask(sent);
    return requester.user ? requester.user->id : 0;
  }
  std::uint64_t user_by_basic(const std::string& name, std::string_view password) {
    return user(Sent().with_basic(name, password));
  }
  std::string nonce_of(std::uint64_t id, std::string_view token = kToken) {
    return wordpress::create_rest_nonce({id, token}, kNonceSalt, kNow);
  }
  void grant_select(const std::string& table) {
    site_.connection().execute("GRANT SELECT ON " + table + " TO " + database_.names().workers);
  }
  // Returns a request from the editor's browser.
  Sent browser() {
    return Sent()
        .with_cookie(cookie_value("Editor.Joe", md5_hash(kAccountPassword)))
        .with_nonce(nonce_of(kEditor));
  }

  support::Database database_;
  support::WordPressSite site_{database_};
  config::Config config_;
  const runtime::Log log_{runtime::LogLevel::warning};
  db::Pool sessions_{database_.endpoint(), 2};
  db::Connection connection_{database_.endpoint()};
  const std::unique_ptr<limit::Limiter::Table> limits_ = std::make_unique<limit::Limiter::Table>();
  const std::unique_ptr<limit::KnownLogins::Table> logins_ =
      std::make_unique<limit::KnownLogins::Table>();
  limit::Limiter limiter_{*limits_};
  limit::KnownLogins known_{*logins_};
  limit::LoginGuard guard_{limiter_, known_};
  std::unique_ptr<wordpress::LoginSettings> wp_;
  std::unique_ptr<wordpress::Users> users_;
  std::unique_ptr<wordpress::Authenticator> authenticator_;
};

// --- Cookie and nonce ----------------------------------------------------------------------------

TEST_F(Authenticator, ACookieWithItsNonceIsTheUser) {
  const Identification requester = ask(browser());
  ASSERT_TRUE(requester.user);
  EXPECT_EQ(requester.user->id, kEditor);
  EXPECT_EQ(requester.login.fresh_nonce, nonce_of(kEditor));
  EXPECT_FALSE(requester.login.has_stale_nonce);
  EXPECT_TRUE(requester.login.has_login_page);
}

TEST_F(Authenticator, ANonceComesInTheHeaderTheQueryOrAForm) {
  const Sent without = Sent().with_cookie(cookie_value("Editor.Joe", md5_hash(kAccountPassword)));
  Sent sent = without;
  sent.query = "_locale=user&_wpnonce=" + nonce_of(kEditor);
  EXPECT_EQ(user(sent), kEditor);
  sent = without;
  sent.method = http::Method::post;
  sent.body = "object_id=1&_wpnonce=" + nonce_of(kEditor);
  EXPECT_EQ(user(sent), kEditor);
  sent.method = http::Method::delete_;
  EXPECT_EQ(user(sent), 0U);
  // WordPress ignores the nonce header if the request has an _wpnonce parameter, even an empty one.
  sent = without.with_nonce(nonce_of(kEditor));
  sent.query = "_wpnonce=";
  EXPECT_EQ(user(sent), 0U);
}

TEST_F(Authenticator, ACookieWithoutANonceProvesNothingAndHidesAPassword) {
  Sent sent = browser().with_basic("Editor.Joe", kAppPassword);
  sent.has_nonce = false;
  const Identification requester = ask(sent);
  EXPECT_FALSE(requester.user);
  EXPECT_FALSE(requester.login.has_stale_nonce);
  EXPECT_TRUE(requester.login.has_login_page);
}

TEST_F(Authenticator, APageThatLacksTheNonceOfALoginIsToldSo) {
  Sent sent = browser();
  EXPECT_FALSE(ask(sent).login.lacks_nonce);
  sent.has_nonce = false;
  EXPECT_TRUE(ask(sent).login.lacks_nonce);
  for (const std::string& cookie :
       {std::string(), std::string("not a login"), std::string("Editor.Joe|1|token|signature")}) {
    EXPECT_FALSE(ask(Sent().with_cookie(cookie)).login.lacks_nonce) << cookie;
  }
}

TEST_F(Authenticator, AStaleNonceIsSaidToBeStale) {
  for (const std::string& nonce :
       {std::string(), std::string("0123456789"), nonce_of(kAdmin), nonce_of(0), nonce_of(0, ""),
        nonce_of(kEditor, "another"), nonce_of(kEditor).substr(0, 9), nonce_of(kEditor) + "0",
        std::string(100'000, 'a'),
        wordpress::create_rest_nonce({kEditor, kToken}, kNonceSalt, kNow - 25h)}) {
    const Identification requester = ask(browser().with_nonce(nonce));
    EXPECT_FALSE(requester.user) << nonce;
    EXPECT_TRUE(requester.login.has_stale_nonce) << nonce;
    EXPECT_EQ(requester.login.fresh_nonce, "") << nonce;
  }
}

TEST_F(Authenticator, ANonceOfNobodyIsRightForNobody) {
  const Identification requester = ask(Sent().with_nonce(nonce_of(0, "")));
  EXPECT_FALSE(requester.user);
  EXPECT_FALSE(requester.login.has_stale_nonce);
  EXPECT_EQ(requester.login.fresh_nonce, nonce_of(0, ""));
}

TEST_F(Authenticator, ACookieThatIsNotWordPresssOwnIsNobodys) {
  const std::string good = cookie_value("Editor.Joe", md5_hash(kAccountPassword));
  const std::string hash = md5_hash(kAccountPassword);
  std::string other_name = good;
  other_name.replace(0, 10, "admin");
  std::vector<std::string> bad = {
      other_name,                                              // another user's name
      cookie_value("admin", hash),                             // signed for the wrong password
      cookie_value("Editor.Joe", hash, "another"),             // a session that never existed
      cookie_value("Editor.Joe", hash, kToken, "1794999999"),  // expired
      cookie_value("nobody", hash),
      good + "|",
      "|" + good,
      std::string(5000, 'x') + good,
      std::string(100, '|'),
  };
  for (std::size_t length = 0; length < good.size(); length += 7) {
    bad.push_back(good.substr(0, length));
  }
  for (const std::string& value : bad) {
    EXPECT_EQ(user(browser().with_cookie(value)), 0U) << value;
  }
  EXPECT_EQ(user(browser()), kEditor);
}

TEST_F(Authenticator, SessionsEndedInWordPressEndAtOnce) {
  ASSERT_EQ(user(browser()), kEditor);
  site_.set_meta(kEditor, "session_tokens", "a:0:{}");  // logged out
  EXPECT_EQ(user(browser()), 0U);
  site_.set_meta(kEditor, "session_tokens", sessions(kToken, kExpiration));
  ASSERT_EQ(user(browser()), kEditor);
  site_.set_password_hash(kEditor, md5_hash("another"));
  EXPECT_EQ(user(browser()), 0U);
  site_.set_password_hash(kEditor, md5_hash(kAccountPassword));
  ASSERT_EQ(user(browser()), kEditor);
  site_.delete_user(kEditor);
  EXPECT_EQ(user(browser()), 0U);
}

// --- Passwords -----------------------------------------------------------------------------------

// The text after << is the id of the case in WordPress's test vectors.
TEST_F(Authenticator, NamesAreLookedUpAsWordPressDoes) {
  EXPECT_EQ(user_by_basic("Editor.Joe", kAppPassword), kEditor);
  EXPECT_EQ(user_by_basic("editor.joe", kAppPassword), kEditor) << "app_login_case";
  EXPECT_EQ(user_by_basic("  Editor.Joe \t", kAppPassword), kEditor) << "app_login_spaces";
  EXPECT_EQ(user_by_basic("Editor%20.Joe", kAppPassword), kEditor) << "app_login_pct";
  EXPECT_EQ(user_by_basic("\xC3\x89"
                          "ditor.Joe",
                          kAppPassword),
            kEditor)
      << "app_login_accent";
  EXPECT_EQ(user_by_basic("JOE@example.org", kAppPassword), kEditor) << "app_email";
  EXPECT_EQ(user_by_basic("nobody@example.org", kAppPassword), 0U) << "app_unknown_email";
}

TEST_F(Authenticator, ALoginWinsOverAnothersEmailAddress) {
  site_.add_user(9, "joe@example.org", md5_hash("x"));
  EXPECT_EQ(user_by_basic("joe@example.org", kAppPassword), 0U);
  site_.set_meta(9, "_application_passwords", app_passwords("ofTheOther"));
  EXPECT_EQ(user_by_basic("joe@example.org", "ofTheOther"), 9U);
}

TEST_F(Authenticator, OfSeveralListsOfPasswordsTheFirstCounts) {
  site_.add_meta(kEditor, "_application_passwords", app_passwords("later"));
  EXPECT_EQ(user_by_basic("Editor.Joe", kAppPassword), kEditor);
  EXPECT_EQ(user_by_basic("Editor.Joe", "later"), 0U);
}

TEST_F(Authenticator, ARemovedPasswordIsRefusedAtOnce) {
  ASSERT_EQ(user_by_basic("Editor.Joe", kAppPassword), kEditor);
  site_.set_meta(kEditor, "_application_passwords", "a:0:{}");
  EXPECT_EQ(user_by_basic("Editor.Joe", kAppPassword), 0U);
}

TEST_F(Authenticator, AnAccountsPasswordIsNotTakenUnlessConfigured) {
  EXPECT_EQ(user_by_basic("Editor.Joe", kAccountPassword), 0U);
}

TEST_F(Authenticator, AnAccountsPasswordIsTakenWhenConfigured) {
  config_.logins.account_passwords = true;
  EXPECT_EQ(user_by_basic("Editor.Joe", kAccountPassword), kEditor);
  EXPECT_EQ(user_by_basic("Editor.Joe", " \t" + std::string(kAccountPassword) + "\n"), kEditor);
  EXPECT_EQ(user_by_basic("admin", kAccountPassword), 0U);
  site_.set_password_hash(kEditor, md5_hash("changed"));
  EXPECT_EQ(user_by_basic("Editor.Joe", kAccountPassword), 0U);
  EXPECT_EQ(user_by_basic("Editor.Joe", "changed"), kEditor);
}

TEST_F(Authenticator, OddCredentialsAreNobodys) {
  for (const std::string& header :
       {std::string("Basic"), std::string("Basic "), std::string("Bearer abc"),
        std::string("Basic ::::"), "Basic " + base64("Editor.Joe"),
        "Basic " + base64("Editor.Joe:"),
        "Basic " + base64("Editor.Joe:x:" + std::string(kAppPassword)),
        "Basic " + base64("Editor:Joe:" + std::string(kAppPassword)),
        "Basic " + base64(":" + std::string(kAppPassword)),
        "Basic " + base64(std::string("Editor.Joe\0:", 12) + std::string(kAppPassword)),
        "Basic " + base64(std::string(500, 'e') + ":" + std::string(kAppPassword)),
        "Basic " + std::string(100'000, 'A'), std::string("Basic \xff\xfe\x00\x01", 10)}) {
    Sent sent;
    sent.authorization = header;
    const Identification requester = ask(sent);
    EXPECT_FALSE(requester.user) << header;
    EXPECT_FALSE(requester.login.has_login_page);
  }
}

TEST_F(Authenticator, CharactersThatAreNotBase64ArePassedOverAsInPhp) {
  std::string header = basic("Editor.Joe", kAppPassword);
  header.insert(10, "*.\n");
  Sent sent;
  sent.authorization = header;
  EXPECT_EQ(user(sent), kEditor);
}

TEST_F(Authenticator, APasswordCountsBesideAnInvalidCookieAndAnyNonce) {
  const Sent sent =
      browser().with_cookie("forged|1795086400|t|h").with_basic("Editor.Joe", kAppPassword);
  EXPECT_EQ(user(sent), kEditor);
  EXPECT_EQ(user(sent.with_nonce("garbage")), kEditor);
  EXPECT_FALSE(ask(sent.with_nonce("garbage")).login.has_stale_nonce);
}

TEST_F(Authenticator, WithoutHttpsPasswordsAreIgnoredAndTheLogSaysWhyOnceAMinute) {
  Sent sent = Sent().with_basic("Editor.Joe", kAppPassword);
  sent.https = false;
  authenticator();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(user(sent), 0U);
  EXPECT_EQ(user(sent), 0U);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("allow-basic-over-http"), std::string::npos) << log;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  ::testing::internal::CaptureStderr();
  sent.at += 61s;
  EXPECT_EQ(user(sent), 0U);
  EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Authenticator, ALocalSiteNeedsNoHttps) {
  config_.logins.environment_type = "local";
  Sent sent = Sent().with_basic("Editor.Joe", kAppPassword);
  sent.https = false;
  EXPECT_EQ(user(sent), kEditor);
}

TEST_F(Authenticator, ADevelopmentSiteNeedsHttps) {
  config_.logins.environment_type = "development";
  Sent sent = Sent().with_basic("Editor.Joe", kAppPassword);
  sent.https = false;
  EXPECT_EQ(user(sent), 0U);
}

TEST_F(Authenticator, TheOperatorCanLetPasswordsPassWithoutHttps) {
  config_.logins.basic_over_http = true;
  Sent sent = Sent().with_basic("Editor.Joe", kAppPassword);
  sent.https = false;
  EXPECT_EQ(user(sent), kEditor);
}

TEST_F(Authenticator, PasswordsAreIgnoredWhereWordPressHasNoneInUse) {
  site_.set_option("using_application_passwords", "0");
  EXPECT_EQ(user_by_basic("Editor.Joe", kAppPassword), 0U) << "app_not_in_use";
}

TEST_F(Authenticator, TheOperatorCanSwitchApplicationPasswordsOff) {
  config_.logins.app_passwords = false;
  config_.logins.account_passwords = true;
  EXPECT_EQ(user_by_basic("Editor.Joe", kAppPassword), 0U);
  EXPECT_EQ(user_by_basic("Editor.Joe", kAccountPassword), kEditor);
}

// --- Limits on guessing --------------------------------------------------------------------------

TEST_F(Authenticator, WrongPasswordsAreLimitedBeforeTheyAreHashed) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(user_by_basic("Editor.Joe", "wrong"), 0U);
  // After ten failures, even the correct password is rejected, regardless of the case of the user
  // name.
  for (const char* name : {"Editor.Joe", "EDITOR.JOE"}) {
    const Identification requester = ask(Sent().with_basic(name, kAppPassword));
    EXPECT_FALSE(requester.user) << name;
    EXPECT_GT(requester.login.retry_after, 0s) << name;
    EXPECT_LE(requester.login.retry_after, 5min) << name;
  }
  Sent elsewhere = Sent().with_basic("Editor.Joe", kAppPassword);
  elsewhere.address = "198.51.100.1";
  EXPECT_EQ(user(elsewhere), kEditor);
  Sent later = Sent().with_basic("Editor.Joe", kAppPassword);
  later.at += 5min;
  EXPECT_EQ(user(later), kEditor);
}

TEST_F(Authenticator, TheLimitDoesNotTellWhichNamesAreOneAccounts) {
  for (int i = 0; i < 10; ++i) {
    user_by_basic("joe@example.org", "wrong");
    user_by_basic("nobody@example.org", "wrong");
  }
  EXPECT_EQ(ask(Sent().with_basic("Editor.Joe", "wrong")).login.retry_after, 0s);
  EXPECT_EQ(ask(Sent().with_basic("nobody", "wrong")).login.retry_after, 0s);
}

TEST_F(Authenticator, NamesThatNobodyHasAreLimitedAlike) {
  for (int i = 0; i < 30; ++i) user_by_basic("nobody" + std::to_string(i), "wrong");
  EXPECT_GT(ask(Sent().with_basic("nobody", "wrong")).login.retry_after, 0s);
  EXPECT_GT(ask(Sent().with_basic("Editor.Joe", kAppPassword)).login.retry_after, 0s);
}

TEST_F(Authenticator, ACookieIsCheckedHoweverManyPasswordsWereWrong) {
  for (int i = 0; i < 40; ++i) user_by_basic("Editor.Joe", "wrong");
  EXPECT_EQ(user(browser()), kEditor);
}

TEST_F(Authenticator, ForgedCookiesAreLimitedOnProtectedRoutes) {
  const std::string forged = "Editor.Joe|" + kExpiration + "|" + kToken + "|" + kToken;
  const Sent sent = Sent().with_cookie(forged).with_nonce("0123456789").to_protected_route();
  for (int i = 0; i < 30; ++i) EXPECT_EQ(ask(sent).login.retry_after, 0s) << i;
  EXPECT_GT(ask(sent).login.retry_after, 0s);
  // After 30 forged cookies, protected routes reject even a correct cookie from the same address.
  EXPECT_GT(ask(browser().to_protected_route()).login.retry_after, 0s);
  EXPECT_EQ(user(browser()), kEditor);
  EXPECT_EQ(user_by_basic("Editor.Joe", kAppPassword), kEditor);
  Sent elsewhere = browser().to_protected_route();
  elsewhere.address = "198.51.100.1";
  EXPECT_EQ(user(elsewhere), kEditor);
}

TEST_F(Authenticator, ForgedCookiesDoNotLockOutKnownNetworks) {
  EXPECT_EQ(user(browser().to_protected_route()), kEditor);
  const std::string forged = "somebody|" + kExpiration + "|" + kToken + "|" + kToken;
  const Sent sent = Sent().with_cookie(forged).with_nonce("0123456789").to_protected_route();
  for (int i = 0; i < 40; ++i) ask(sent);
  EXPECT_GT(ask(sent).login.retry_after, 0s);
  EXPECT_EQ(user(browser().to_protected_route()), kEditor);
}

TEST_F(Authenticator, CookiesOfHonestVisitorsAreNotLimited) {
  const std::string hash = md5_hash(kAccountPassword);
  const std::string forged = "Editor.Joe|" + kExpiration + "|" + kToken + "|" + kToken;
  const Sent with_nonce = Sent().with_nonce(nonce_of(kEditor));
  const Sent on_open_route = with_nonce.with_cookie(forged);
  const Sent expired =
      with_nonce.with_cookie(cookie_value("Editor.Joe", hash, kToken, "1700000000"))
          .to_protected_route();
  const Sent logged_out =
      with_nonce.with_cookie(cookie_value("Editor.Joe", hash, std::string(43, 'o')))
          .to_protected_route();
  const Sent with_password =
      on_open_route.with_basic("Editor.Joe", kAppPassword).to_protected_route();
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(user(on_open_route), 0U);
    EXPECT_EQ(user(expired), 0U);
    EXPECT_EQ(user(logged_out), 0U);
    EXPECT_EQ(user(with_password), kEditor);
  }
  EXPECT_EQ(user(browser().to_protected_route()), kEditor);
}

// --- Permissions ---------------------------------------------------------------------------------

TEST_F(Authenticator, RightsAreThoseOfTheRoles) {
  site_.set_meta(kAdmin, "_application_passwords", app_passwords("ofTheAdmin"));
  const auto rights = [&] {
    return ask(Sent().with_basic("admin", "ofTheAdmin")).user.value().rights;
  };
  EXPECT_TRUE(rights().has(Right::administer));
  EXPECT_FALSE(rights().has(Right::see_persons));
  EXPECT_FALSE(rights().has(Right::see_unpublished));
  site_.set_option("wp_user_roles", R"(a:1:{s:13:"administrator";a:1:{s:12:"capabilities";a:2:{)"
                                    R"(s:10:"list_users";b:1;s:17:"edit_others_posts";b:1;}}})");
  wp_->refresh(connection_);
  EXPECT_FALSE(rights().has(Right::administer));
  EXPECT_TRUE(rights().has(Right::see_persons));
  EXPECT_TRUE(rights().has(Right::see_unpublished));
  EXPECT_FALSE(rights().has(Right::administer_network));
  site_.set_meta(kAdmin, "wp_capabilities", R"(a:1:{s:22:"manage_network_options";b:1;})");
  EXPECT_TRUE(rights().has(Right::administer_network));
  site_.set_meta(kAdmin, "wp_capabilities", R"(a:1:{s:10:"subscriber";b:1;})");
  EXPECT_TRUE(rights().is_empty());
}

TEST_F(Authenticator, SuperAdministratorsOfWpConfigReplaceThoseOfTheNetworksRows) {
  make_network();
  site_.set_network_option("site_admins", R"(a:1:{i:0;s:10:"Editor.Joe";})");
  site_.set_meta(kAdmin, "_application_passwords", app_passwords("ofTheAdmin"));
  const auto may_administer = [&](const std::string& name, std::string_view password) {
    return ask(Sent().with_basic(name, password)).user.value().rights.has(Right::administer);
  };
  config_.network.super_admins = {"Admin", "else"};
  EXPECT_FALSE(may_administer("Editor.Joe", kAppPassword));
  EXPECT_FALSE(may_administer("admin", "ofTheAdmin"));  // names are compared exactly
  authenticator_.reset();
  config_.network.super_admins = {"admin", "else"};
  EXPECT_FALSE(may_administer("Editor.Joe", kAppPassword));
  EXPECT_TRUE(may_administer("admin", "ofTheAdmin"));
}

TEST_F(Authenticator, FindsAUserByANameWithTagsAsWordPressDoes) {
  EXPECT_EQ(user_by_basic("<b>Editor.Joe</b>", kAppPassword), kEditor);
  EXPECT_EQ(user_by_basic("Editor.Joe<script>x</script>", kAppPassword), kEditor);
  EXPECT_EQ(user_by_basic("Editor<b>.Joe", "wrong"), 0U);
}

TEST_F(Authenticator, ANetworksSuperAdministratorsMayDoEverything) {
  make_network();
  site_.set_network_option("site_admins", R"(a:1:{i:0;s:10:"Editor.Joe";})");
  const Identification super = ask(Sent().with_basic("Editor.Joe", kAppPassword));
  ASSERT_TRUE(super.user);
  auto everything = model::Rights::all();
  everything.add(Right::administer_network);
  EXPECT_EQ(super.user->rights, everything);
}

TEST_F(Authenticator, ASaltThatWordPressHasNotMadeYetSignsNothing) {
  config_.keys = {};
  EXPECT_EQ(user(browser()), 0U);
  EXPECT_TRUE(ask(browser()).login.has_stale_nonce);
  EXPECT_EQ(user_by_basic("Editor.Joe", kAppPassword), kEditor);
}

TEST_F(Authenticator, SaltsOfTheDatabaseCountWhereTheConfigurationHasNone) {
  config_.keys = {};
  site_.set_option("logged_in_key", "logged in key");
  site_.set_option("logged_in_salt", "logged in salt");
  site_.set_option("nonce_key", "nonce key");
  site_.set_option("nonce_salt", "nonce salt");
  EXPECT_EQ(user(browser()), kEditor);
}

}  // namespace
