// Tests WordPress's login cookie in lib/wordpress/credentials.h.

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "base/text.h"
#include "support/clock.h"
#include "support/wordpress_vectors.h"
#include "wordpress/credentials.h"

namespace {

using support::kNow;
using namespace std::chrono_literals;

constexpr std::string_view kCookieSalt = "salt";
constexpr std::string_view kUserPass = "$P$Bgft.bTG0L6ZnvSS259gSlLB2WvFy5/";

// Checks a cookie in the same order as WordPress, and returns the result.
std::string_view judge(const json::Value& vector, base::Time now, std::string_view salt) {
  const auto cookie = wordpress::parse_logged_in_cookie(vectors::text(vector, "cookie"));
  if (!cookie) return "malformed";
  if (wordpress::is_expired(*cookie, now, vectors::flag(vector, "is_post"))) return "expired";
  if (!wordpress::is_signed(*cookie, vectors::text(vector, "user_pass"), salt)) return "bad_hash";
  const std::string& sessions = vectors::text(vector, "session_tokens");
  if (!wordpress::has_session(sessions, cookie->token, now)) return "bad_session_token";
  return "valid";
}

// Since version 6.8, WordPress signs a different part of the password hash, so some cookies are
// valid only before version 6.8, and some only from version 6.8 on. The service accepts a cookie if
// any WordPress release accepts the cookie.
TEST(LoggedInCookie, VectorsOfWordPress) {
  const json::Value& topic = vectors::topic("auth_cookie");
  for (const json::Value& vector : vectors::array(topic, "cases")) {
    std::string expected;
    for (const auto& [version, result] :
         std::get<json::Value::Object>(vectors::member(vector, "result").data)) {
      if (expected != "valid") expected = std::get<std::string>(result.data);
    }
    EXPECT_EQ(judge(vector, vectors::time(topic, "now"), vectors::text(topic, "salt")), expected)
        << vectors::text(vector, "id");
  }
}

TEST(LoggedInCookieName, VectorsOfWordPress) {
  for (const json::Value& vector : vectors::array(vectors::topic("cookie_hash"))) {
    EXPECT_EQ(wordpress::logged_in_cookie_name(
                  {vectors::text(vector, "LOGGED_IN_COOKIE"), vectors::text(vector, "COOKIEHASH"),
                   vectors::text(vector, "sitemeta_siteurl"), vectors::text(vector, "siteurl")}),
              vectors::text(vector, "cookie_name"));
  }
}

// Returns a cookie that WordPress signs for kUserPass.
std::string cookie_for(std::string_view name, std::string_view expiration, std::string_view token) {
  const std::string end = "|" + std::string(expiration) + "|" + std::string(token);
  const std::string key =
      base::to_hex(base::hmac_md5(kCookieSalt, std::string(name) + "|bTG0" + end));
  const std::string text = std::string(name) + end;
  return text + "|" + base::to_hex(base::hmac_sha256(key, text));
}

bool is_signed(std::string_view text) {
  const auto cookie = wordpress::parse_logged_in_cookie(text);
  return cookie && wordpress::is_signed(*cookie, kUserPass, kCookieSalt);
}

TEST(LoggedInCookie, EveryChangedByteMakesItInvalid) {
  const std::string text = cookie_for("ann", "1795000100", "token");
  ASSERT_TRUE(is_signed(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string forged = text;
    forged[i] = forged[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(is_signed(forged)) << i;
    EXPECT_FALSE(is_signed(text.substr(0, i))) << i;
  }
  EXPECT_FALSE(is_signed(text + "x"));
  EXPECT_FALSE(is_signed(text + std::string(5000, '0')));
}

TEST(LoggedInCookie, AChangedPasswordOrSaltMakesItInvalid) {
  const auto cookie = wordpress::parse_logged_in_cookie(cookie_for("ann", "1795000100", "token"));
  ASSERT_TRUE(cookie);
  EXPECT_TRUE(wordpress::is_signed(*cookie, kUserPass, kCookieSalt));
  EXPECT_FALSE(wordpress::is_signed(*cookie, "$P$Bother.TG0L6ZnvSS259gSlLB2WvFy5/", kCookieSalt));
  EXPECT_FALSE(wordpress::is_signed(*cookie, "", kCookieSalt));
  EXPECT_FALSE(wordpress::is_signed(*cookie, kUserPass, "other"));
}

TEST(LoggedInCookie, AnExpirationThatIsNoNumberIsOver) {
  for (const std::string_view expiration : {"", "abc", "1795000100x", " 1795000100", "+1795000100",
                                            "-1", "1e10", "0x7fffffff", "999999999999999999999"}) {
    const auto cookie = wordpress::parse_logged_in_cookie(cookie_for("ann", expiration, "token"));
    ASSERT_TRUE(cookie);
    EXPECT_TRUE(wordpress::is_expired(*cookie, kNow, true)) << expiration;
  }
}

TEST(LoggedInCookie, CountsInWholeSecondsAsPhpDoes) {
  const wordpress::LoggedInCookie cookie{"ann", "1795000000", "token", ""};
  EXPECT_FALSE(wordpress::is_expired(cookie, kNow + 999'999us, false));
  EXPECT_TRUE(wordpress::is_expired(cookie, kNow + 1s, false));
}

TEST(WpSession, OfAnotherKindThanWordPressStoresIsNone) {
  const std::string digest = base::to_hex(base::sha256("token"));
  const auto with = [&](const std::string& session) {
    return "a:1:{s:64:\"" + digest + "\";" + session + "}";
  };
  EXPECT_TRUE(wordpress::has_session(with("i:1795000000;"), "token", kNow));
  EXPECT_FALSE(wordpress::has_session(with("i:1795000000;"), "other", kNow));
  for (const char* const session :
       {"b:1;", "N;", "a:0:{}", "a:1:{s:10:\"expiration\";b:1;}", "a:1:{s:10:\"expiration\";N;}",
        "a:1:{s:10:\"expiration\";s:4:\"soon\";}", "a:1:{s:10:\"Expiration\";i:1795000000;}",
        "O:1:\"S\":1:{s:10:\"expiration\";i:1795000000;}"}) {
    EXPECT_FALSE(wordpress::has_session(with(session), "token", kNow)) << session;
  }
}

}  // namespace
