#include "dispatch/serve.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "handlers/handlers.h"
#include "json/codec.h"
#include "support/answers.h"
#include "support/service.h"
#include "support/voter_cookie.h"

namespace {

using http::Method;
using support::header;

constexpr std::string_view kVote = R"({"object_id":1,"category":"binary","value":1})";

std::string code(const http::Response& response) {
  const auto body = json::parse(response.body);
  const json::Value* code = body ? body->find("code") : nullptr;
  const auto* text = code == nullptr ? nullptr : std::get_if<std::string>(&code->data);
  return text == nullptr ? std::string() : *text;
}

// Returns the attributes of the voter's cookie in a Set-Cookie header.
std::string attributes(const http::Response& response) {
  const std::string cookie = header(response, "Set-Cookie");
  return cookie.substr(std::min(cookie.find("; "), cookie.size()));
}

class Serve : public ::testing::Test {
 protected:
  // Sends a voter's first vote from a page with the origin "origin".
  http::Response vote_from(std::string_view origin, bool https, std::string_view fetch_site = "") {
    http::Request request;
    request.method = Method::post;
    request.body = kVote;
    request.origin = origin;
    request.has_origin = true;
    request.https = https;
    request.sec_fetch_site = fetch_site;
    return service_.serve(request, "/rate");
  }
  http::Response ask(Method method, const std::string& path, std::string_view body = "",
                     std::string_view cookie = "") {
    http::Request request;
    request.method = method;
    request.body = body;
    request.cookie = cookie;
    if (method == Method::delete_) request.query = "object_id=1&category=binary";
    return service_.serve(request, path);
  }

  support::Service service_;
};

TEST_F(Serve, IndexNamesTheLoginPage) {
  EXPECT_TRUE(
      ask(Method::get, "")
          .body.ends_with(
              R"("login":{"page":"https://example.org/wp-login.php",)"
              R"("nonce":"https://example.org/wp-admin/admin-ajax.php?action=rest-nonce"}})"));
}

// The URL of the login page must have the same scheme as the request, like the URLs from
// WordPress's site_url() function.
TEST_F(Serve, LoginPageHasTheSchemeOfAnHttpsRequest) {
  store::SiteState site;
  const auto index = [&](bool https) {
    http::Request request;
    request.https = https;
    const api::Call call{request, site, {}, {}, {}, {}};
    const auto answer = api::run<handlers::service_index>(service_.app(), call);
    return answer ? answer->body : std::string();
  };
  EXPECT_EQ(index(true).find(R"("login":{"page")"), std::string::npos);
  site.login = {"http://example.org/login", "http://example.org/nonce"};
  EXPECT_TRUE(index(false).ends_with(
      R"("login":{"page":"http://example.org/login","nonce":"http://example.org/nonce"}})"));
  EXPECT_TRUE(index(true).ends_with(
      R"("login":{"page":"https://example.org/login","nonce":"https://example.org/nonce"}})"));
}

TEST_F(Serve, RefusesWhatWasSentToAnotherSite) {
  http::Request request;
  request.method = Method::post;
  request.body = kVote;
  request.sent_path = "/two/";
  const http::Response refused = service_.serve(request, "/rate");
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(code(refused), "rest_no_route");
  request.sent_path = "/index.php";
  EXPECT_EQ(service_.serve(request, "/rate").status, 200);
  request.sent_path = "/two/";
  request.method = Method::get;
  EXPECT_EQ(service_.serve(request, "/health").status, 200) << "monitors are no visitors";
}

// Any page can have the origin "null", so pages with this origin must not be allowed to do anything
// except vote.
TEST_F(Serve, OriginNullMayVoteIfTheSettingsSaySoButNoMore) {
  EXPECT_EQ(vote_from("null", true).status, 403);
  service_.change({{"allow_null_origin", true}});
  EXPECT_EQ(vote_from("null", true).status, 200);
  http::Request request;
  request.method = Method::post;
  request.body = R"({"enabled":false})";
  request.origin = "null";
  request.has_origin = true;
  const http::Response refused = service_.serve(request, "/settings");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(code(refused), "ratingd_bad_origin");
  request.origin = "https://example.org";
  EXPECT_EQ(service_.serve(request, "/settings").status, 401);
}

TEST_F(Serve, CookieForTheOwnOriginIsLax) {
  EXPECT_EQ(attributes(vote_from("https://example.org", true)),
            "; Path=/wp-json/ratingd/v1; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure");
  EXPECT_EQ(attributes(vote_from("https://example.org", false)),
            "; Path=/wp-json/ratingd/v1; Max-Age=31536000; HttpOnly; SameSite=Lax");
}

// The cookie's path is the request's path, so that the browser sends the cookie with its next
// request.
TEST_F(Serve, CookieOfARequestByRestRouteIsForThePathThatItWasSentTo) {
  for (const auto& [sent_path, path] :
       {std::pair("/", "/"), std::pair("/index.php", "/"), std::pair("//", "/"),
        std::pair("///index.php", "/"),
        std::pair("/wp-json/ratingd/v1/rate", "/wp-json/ratingd/v1")}) {
    http::Request request;
    request.method = Method::post;
    request.body = kVote;
    request.sent_path = sent_path;
    EXPECT_EQ(attributes(service_.serve(request, "/rate")),
              std::string("; Path=") + path + "; Max-Age=31536000; HttpOnly; SameSite=Lax");
  }
}

TEST_F(Serve, CookieForAnAllowedOriginIsAThirdPartys) {
  service_.change({{"allowed_origins", std::vector<std::string>{"https://example.com"}}});
  EXPECT_EQ(attributes(vote_from("https://example.com", true)),
            "; Path=/wp-json/ratingd/v1; Max-Age=31536000; HttpOnly; SameSite=None; Partitioned; "
            "Secure");
}

// Browsers accept the SameSite=None attribute only together with Secure.
TEST_F(Serve, CookieForAnAllowedOriginWithoutTlsIsLax) {
  service_.change({{"allowed_origins", std::vector<std::string>{"https://example.com"}}});
  EXPECT_EQ(attributes(vote_from("https://example.com", false)),
            "; Path=/wp-json/ratingd/v1; Max-Age=31536000; HttpOnly; SameSite=Lax");
}

// If the cookie were a third-party cookie, a visitor to a site with several origins would have a
// different cookie on each origin.
TEST_F(Serve, CookieForAnAllowedOriginOfTheSameSiteIsLax) {
  service_.change({{"allowed_origins", std::vector<std::string>{"https://www.example.org"}}});
  EXPECT_EQ(attributes(vote_from("https://www.example.org", true, "same-site")),
            "; Path=/wp-json/ratingd/v1; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure");
}

TEST_F(Serve, DroppedCookieIsDroppedWhereItWasSet) {
  service_.change({{"allowed_origins", std::vector<std::string>{"https://example.com"}}});
  const std::string cookie = header(vote_from("https://example.com", true), "Set-Cookie");
  http::Request request;
  request.method = Method::delete_;
  request.origin = "https://example.com";
  request.has_origin = true;
  request.https = true;
  request.cookie = std::string_view(cookie).substr(0, cookie.find(';'));
  EXPECT_EQ(attributes(service_.serve(request, "/me")),
            "; Path=/wp-json/ratingd/v1; Max-Age=0; HttpOnly; SameSite=None; Partitioned; Secure");
}

// In this test, a sibling host has set a copy of this host's cookie for the whole domain.
TEST_F(Serve, CookiesThatOtherHostsSetAreDeletedAndNoVoteIsLost) {
  const api::App& app = service_.app();
  const auto cookie_of = [&](model::VoterId voter) {
    return support::voter_cookie(
        identity::write_voter_cookie({model::kAnonymousBit | voter, {}}, app.core.keys));
  };
  const std::string own = cookie_of(7);
  const std::string both = cookie_of(6) + "; " + own;
  http::Request request;
  request.method = Method::get;
  request.host = "example.org";
  request.https = true;
  request.cookie = both;
  std::vector<std::string> cookies;
  for (const http::Header& one : service_.serve(request, "/stats/1").headers) {
    if (one.name == "Set-Cookie") cookies.push_back(one.value);
  }
  EXPECT_EQ(
      std::ranges::count(cookies, support::voter_cookie("; Domain=example.org; Path=/; Max-Age=0")),
      1);
  // The service cannot determine which cookie belongs to this host, so it renews none of the
  // cookies.
  EXPECT_TRUE(std::ranges::all_of(cookies, [](const std::string& cookie) {
    return cookie.starts_with(support::voter_cookie("; Domain=example.org; Path=/"));
  }));

  request.method = Method::post;
  request.body = kVote;
  EXPECT_EQ(service_.serve(request, "/rate").status, 200);
  request.cookie = own;
  EXPECT_EQ(header(service_.serve(request, "/rate"), "Set-Cookie"), "none");
  request.method = Method::get;
  EXPECT_NE(service_.serve(request, "/stats/1").body.find(R"("user_ratings":{"binary")"),
            std::string::npos);
}

TEST_F(Serve, AllowedOriginCountsUntilItIsTakenBack) {
  service_.change({{"allowed_origins", std::vector<std::string>{"https://example.com"}}});
  const http::Response answer = vote_from("https://example.com", true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(header(answer, "Access-Control-Allow-Origin"), "https://example.com");
  EXPECT_EQ(header(answer, "Access-Control-Allow-Credentials"), "true");

  service_.change({{"allowed_origins", std::vector<std::string>{}}});
  EXPECT_EQ(code(vote_from("https://example.com", true)), "ratingd_bad_origin");
}

// Returns the part of a Set-Cookie header that a browser sends back.
std::string pair_in(const http::Response& response) {
  const std::string cookie = header(response, "Set-Cookie");
  return cookie.substr(0, cookie.find(';'));
}

class ServeDevices : public Serve {
 protected:
  http::Response ask_with_token(Method method, const std::string& path, std::string_view token,
                                std::string_view fetch_site = "") {
    http::Request request;
    request.method = method;
    if (method == Method::post) request.body = kVote;
    if (method == Method::delete_) request.query = "object_id=1&category=binary";
    request.device_token = token;
    request.has_device_token = true;
    request.sec_fetch_site = fetch_site;
    request.id = "request " + std::to_string(++requests_);
    return service_.serve(request, path);
  }
  int votes() {
    return static_cast<int>(
        service_.connection().query("SELECT COUNT(*) FROM wp_ratingd_votes").number());
  }

  static constexpr std::string_view kToken = "8a1e0e6c5b8f4b0f9d3c7a2f1e6d5c4b";
  int requests_ = 0;
};

TEST_F(ServeDevices, VoteThatIsSentAgainWithItsTokenIsTheSame) {
  EXPECT_EQ(ask_with_token(Method::post, "/rate", kToken).status, 200);
  EXPECT_EQ(ask_with_token(Method::post, "/rate", kToken, "same-origin").status, 200);
  EXPECT_EQ(votes(), 1);
  EXPECT_EQ(ask_with_token(Method::delete_, "/rate", kToken).status, 200);
  EXPECT_EQ(votes(), 0);
}

// `ratingctl doctor` must not warn about votes with a device token, because the example client in
// the documents sends a token.
TEST_F(ServeDevices, VoteByTokenIsNoProgramWithoutProof) {
  http::Request request;
  request.method = Method::post;
  request.body = kVote;
  request.received_at = base::SystemClock().now();
  request.device_token = "test-client-of-the-guide";
  request.has_device_token = true;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(service_.serve(request, "/rate").status, 200);
  EXPECT_EQ(runtime::last_votes(service_.app().core.metrics.table()).of_program, base::Time());
  request.has_device_token = false;
  EXPECT_EQ(service_.serve(request, "/rate").status, 200);
  EXPECT_NE(runtime::last_votes(service_.app().core.metrics.table()).of_program, base::Time());
}

TEST_F(ServeDevices, BrowsersGetTheCookieOfTheTokensVoter) {
  EXPECT_EQ(header(ask_with_token(Method::post, "/rate", kToken), "Set-Cookie"), "none");
  const std::string cookie = pair_in(ask_with_token(Method::post, "/rate", kToken, "same-origin"));
  EXPECT_NE(cookie, "");
  EXPECT_EQ(ask(Method::post, "/rate", kVote, cookie).status, 200);
  EXPECT_EQ(votes(), 1);
}

TEST_F(ServeDevices, UnusedTokenHasNoRatings) {
  EXPECT_TRUE(ask_with_token(Method::get, "/me", kToken)
                  .body.starts_with(R"({"success":true,"data":[],"meta":{"user":null,)"));
  EXPECT_EQ(ask_with_token(Method::delete_, "/rate", kToken).status, 404);
  EXPECT_EQ(header(ask_with_token(Method::get, "/stats/1", kToken), "Set-Cookie"), "none");
}

TEST_F(ServeDevices, MalformedTokenIsRefusedOnEachRouteThatAsksForAVoter) {
  for (const auto& [method, path] :
       {std::pair(Method::post, "/rate"), std::pair(Method::delete_, "/rate"),
        std::pair(Method::get, "/me"), std::pair(Method::get, "/stats/1")}) {
    const http::Response answer = ask_with_token(method, path, "too short");
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_NE(answer.body.find("X-Ratingd-Device header must be 22 to 128 characters long"),
              std::string::npos)
        << answer.body;
  }
}

TEST_F(ServeDevices, RequestThatIsRepeatedByTheWebServerIsTheSameVote) {
  for (int i = 0; i < 2; ++i) {
    http::Request request;
    request.method = Method::post;
    request.body = kVote;
    request.id = "0123456789abcdef0123456789abcdef";
    EXPECT_EQ(service_.serve(request, "/rate").status, 200);
  }
  EXPECT_EQ(votes(), 1);
}

TEST_F(ServeDevices, UnavailableAnswerHasTheCookieToRepeatTheVoteWith) {
  service_.connection().execute("START TRANSACTION");
  static_cast<void>(
      service_.connection().query("SELECT * FROM wp_ratingd_rollup_state FOR UPDATE"));
  const http::Response answer = ask(Method::post, "/rate", kVote);
  service_.connection().execute("ROLLBACK");
  EXPECT_EQ(answer.status, 503);
  const std::string cookie = pair_in(answer);
  const auto voter = identity::read_voter_cookie(
      std::string_view(cookie).substr(std::min(cookie.size(), cookie.find('=') + 1)),
      service_.app().core.keys, base::Time(), std::chrono::days(1));
  ASSERT_TRUE(voter) << cookie;
  EXPECT_EQ(voter->voter, identity::voter_of_request("", service_.app().core.keys.front()));
  while (ask(Method::post, "/rate", kVote, cookie).status == 503) {
  }
  EXPECT_EQ(votes(), 1);
}

// Tests the cookies of an anonymous voter who has voted before.
class ServeCookies : public Serve {
 protected:
  // Returns the cookie in the response to a read request, or an empty string if the response does
  // not set a cookie.
  std::string renewed(const std::string& cookie, std::chrono::seconds after) {
    http::Request request;
    request.method = Method::get;
    request.cookie = cookie;
    request.received_at = base::Time(after);
    const http::Response answer = service_.serve(request, "/me");
    return header(answer, "Set-Cookie") == "none" ? "" : pair_in(answer);
  }
  std::optional<identity::VoterCookie> read(std::string_view cookie, std::chrono::seconds now) {
    return identity::read_voter_cookie(cookie.substr(cookie.find('=') + 1),
                                       service_.app().core.keys, base::Time(now),
                                       std::chrono::days(365));
  }
  void check_is_renewed_after(std::chrono::seconds age) {
    EXPECT_EQ(renewed(cookie_, age - std::chrono::seconds(1)), "");
    const std::string second = renewed(cookie_, age);
    ASSERT_NE(second, "");
    const auto voter = read(second, age);
    ASSERT_TRUE(voter);
    EXPECT_EQ(voter->voter, read(cookie_, age)->voter);
    EXPECT_EQ(voter->issued, base::Time(age));
    EXPECT_EQ(renewed(second, age + std::chrono::seconds(1)), "");
  }

  const std::string cookie_ = pair_in(ask(Method::post, "/rate", kVote));
};

TEST_F(ServeCookies, AreRenewedForTheirVoterAfterThirtyDays) {
  check_is_renewed_after(std::chrono::days(30));
}

TEST_F(ServeCookies, AreRenewedAfterHalfOfAShortLife) {
  service_.change({{"voter_cookie_days", model::decimal_of(10)}});
  check_is_renewed_after(std::chrono::days(5));
}

TEST_F(ServeCookies, ThatHaveExpiredAreNotRenewed) {
  service_.change({{"voter_cookie_days", model::decimal_of(10)}});
  EXPECT_EQ(renewed(cookie_, std::chrono::days(11)), "");
}

TEST_F(Serve, SwitchedOffRefusesVotesAndNothingElse) {
  const std::string cookie = header(ask(Method::post, "/rate", kVote), "Set-Cookie");
  const std::string voter = cookie.substr(0, cookie.find(';'));
  service_.change({{"enabled", false}});

  const http::Response refused = ask(Method::post, "/rate", kVote, voter);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(code(refused), "ratingd_disabled");
  EXPECT_EQ(header(refused, "Cache-Control"), "no-store");
  EXPECT_EQ(header(refused, "Set-Cookie"), "none");
  EXPECT_EQ(ask(Method::get, "/stats/1").status, 200);
  EXPECT_EQ(ask(Method::get, "/me", "", voter).status, 200);
  EXPECT_EQ(ask(Method::delete_, "/rate", "", voter).status, 200);

  service_.change({{"enabled", true}});
  EXPECT_EQ(ask(Method::post, "/rate", kVote, voter).status, 200);
}

TEST_F(Serve, SwitchedOffIsSaidBeforeTheBodyIsRead) {
  service_.change({{"enabled", false}});
  for (const std::string_view body : {"", "{", R"({"object_id":0})"}) {
    EXPECT_EQ(code(ask(Method::post, "/rate", body)), "ratingd_disabled") << body;
  }
}

TEST_F(Serve, RequiredLoginIsSaidBeforeTheBodyIsReadAndNeededForVotesOnly) {
  service_.change({{"require_login", true}});
  for (const std::string_view body : {kVote, std::string_view("{"), std::string_view()}) {
    const http::Response refused = ask(Method::post, "/rate", body);
    EXPECT_EQ(refused.status, 401) << body;
    EXPECT_EQ(code(refused), "rest_not_logged_in") << body;
  }
  EXPECT_EQ(ask(Method::get, "/stats/1").status, 200);
}

// The service checks the login before it applies the rate limit, so without this limit, each
// request with a forged cookie would read the database.
TEST_F(Serve, ForgedCookiesAreLimitedOnPublicAnalytics) {
  service_.wordpress().set_option("logged_in_key", "key");
  service_.wordpress().set_option("logged_in_salt", "salt");
  service_.change({{"analytics_access", std::string("public")}});
  const std::string cookie = "wordpress_logged_in_" +
                             base::to_hex(base::md5("https://example.org")) +
                             "=admin|4102444800|token|signature";
  http::Request request;
  request.method = Method::get;
  request.cookie = cookie;
  request.wp_nonce = "0123456789";
  request.has_wp_nonce = true;
  request.received_at = support::kNow;
  for (int i = 0; i <= 30; ++i) {
    EXPECT_EQ(service_.total(runtime::Count::limited_login), 0U) << i;
    EXPECT_EQ(service_.serve(request, "/analytics/trends").status, 200) << i;
  }
  EXPECT_EQ(service_.total(runtime::Count::limited_login), 1U);
}

TEST_F(Serve, ForeignOriginIsSaidBeforeSwitchedOff) {
  service_.change({{"enabled", false}});
  EXPECT_EQ(code(vote_from("https://evil.example", true)), "ratingd_bad_origin");
}

TEST_F(Serve, VoteThatFailsIsLoggedWithItsRequest) {
  http::Request request;
  request.method = Method::post;
  request.body = kVote;
  request.id = "6c0b";
  const std::string path = std::string(service_.app().core.base_path) + "/rate";
  request.path = path;
  dispatch::Serving serving(service_.app(), request);
  ASSERT_TRUE(std::holds_alternative<votes::VoteRequest>(serving.begin()));
  ::testing::internal::CaptureStderr();
  const auto response = serving.finish(tl::unexpected(votes::WriteError::failed));
  const std::string logged = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(response.status, 500);
  EXPECT_NE(logged.find("request_failed"), std::string::npos) << logged;
  EXPECT_NE(logged.find("6c0b"), std::string::npos) << logged;
}

// The refresher may not notice the refusal, because its open session still works.
TEST_F(Serve, RefusedDatabaseAccountMakesReadsUnavailableAndIsLoggedOnceAMinute) {
  const std::string user = service_.app().transfers.endpoint.user;
  db::Connection owner(service_.owner());
  EXPECT_EQ(ask(Method::get, "/stats/1").status, 200);
  owner.execute("RENAME USER '" + user + "'@localhost TO '" + user + "_away'@localhost");
  std::vector<std::string> sessions =
      owner.query("SELECT id FROM information_schema.processlist WHERE user = ?", user)
          .all(db::text_in);
  for (const std::string& session : sessions) owner.execute("KILL " + session);
  service_.log_from(runtime::LogLevel::info);
  http::Request request;
  request.method = Method::get;
  request.received_at = support::kNow;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(service_.serve(request, "/stats/2").status, 503);
  EXPECT_EQ(service_.serve(request, "/stats/2").status, 503);
  const std::string logged = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(logged.find("level=warning event=database_login_refused error=\"Access denied"),
            std::string::npos)
      << logged;
  EXPECT_NE(logged.find(" advice=\"the database server refuses the account."), std::string::npos)
      << logged;
  EXPECT_EQ(std::ranges::count(logged, '\n'), 1) << logged;
  owner.execute("RENAME USER '" + user + "_away'@localhost TO '" + user + "'@localhost");
  EXPECT_EQ(ask(Method::get, "/stats/2").status, 200);
}

// The service checks the object before it puts the vote into the queue, so the queue does not count
// the vote.
TEST_F(Serve, VoteThatFailsBeforeTheQueueIsCounted) {
  service_.change({{"object_check", std::string("published")}});
  db::Connection owner(service_.owner());
  owner.execute("LOCK TABLES wp_posts WRITE");
  EXPECT_EQ(ask(Method::post, "/rate", kVote).status, 503);
  owner.execute("UNLOCK TABLES");
  EXPECT_EQ(service_.total(runtime::Count::vote_unavailable), 1U);
  owner.execute("RENAME TABLE wp_posts TO wp_posts_away");
  EXPECT_EQ(ask(Method::post, "/rate", kVote).status, 500);
  EXPECT_EQ(ask(Method::delete_, "/me").status, 401);
  owner.execute("RENAME TABLE wp_posts_away TO wp_posts");
  EXPECT_EQ(service_.total(runtime::Count::vote_failed), 1U);
  EXPECT_EQ(service_.total(runtime::Count::vote_unavailable), 1U);
}

}  // namespace
