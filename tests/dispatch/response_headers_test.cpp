#include "dispatch/response_headers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "handlers/handlers.h"
#include "support/answers.h"
#include "support/service.h"
#include "support/voter_cookie.h"

namespace {

using http::Method;
using support::header;

class ResponseHeaders : public ::testing::Test {
 protected:
  api::Call call(const http::Request& request) {
    api::Call call{request, site_, {}, {}, {}};
    call.is_for_site = true;
    call.rate_limit = api::RateLimitState{{"read", {10, std::chrono::seconds(60)}}, {}};
    call.requester.login.fresh_nonce = "0123456789";
    call.voter_cookie_to_send = identity::VoterCookie{.voter = 7, .issued = {}};
    return call;
  }
  http::Response respond(const api::Call& call, std::string_view path, api::Result result) {
    const api::Match match = api::find_route(handlers::routes(), path);
    return dispatch::respond(service_.app(), call, match, match.with(Method::get),
                             std::move(result));
  }

  support::Service service_;
  const store::SiteState site_{};
};

TEST_F(ResponseHeaders, SameAnswerIsNotSentTwice) {
  http::Request request;
  request.method = Method::get;
  const http::Response first = respond(call(request), "/stats", api::Answer{"{}"});
  EXPECT_EQ(first.status, 200);
  const std::string etag = header(first, "ETag");
  request.if_none_match = etag;
  const http::Response second = respond(call(request), "/stats", api::Answer{"{}"});
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(header(second, "ETag"), etag);
  EXPECT_EQ(respond(call(request), "/stats", api::Answer{"[]"}).status, 200);
}

// A 304 response does not delete the headers that the browser has stored with the response.
TEST_F(ResponseHeaders, AnswerIsSentAgainIfHeadersAboutTheLoginChange) {
  http::Request request;
  request.method = Method::get;
  const auto etag = [&](const cms::LoginState& login, std::string_view path) {
    api::Call asked = call(request);
    asked.requester.login = login;
    return header(respond(asked, path, api::Answer{"{}"}), "ETag");
  };
  const std::string anonymous = etag({}, "/public/stats");
  EXPECT_EQ(etag({}, "/stats"), anonymous);
  std::set<std::string> etags{anonymous};
  std::array<cms::LoginState, 5> logins;
  logins[0].fresh_nonce = "0123456789";
  logins[1].fresh_nonce = "9876543210";
  logins[2].has_stale_nonce = true;
  logins[3].lacks_nonce = true;
  logins[4].retry_after = std::chrono::seconds(5);
  for (const cms::LoginState& login : logins) {
    EXPECT_TRUE(etags.insert(etag(login, "/stats")).second);
    EXPECT_EQ(etag(login, "/public/stats"), anonymous);
  }
}

TEST_F(ResponseHeaders, CookieGoesWithUnavailableButWithNoOtherError) {
  const http::Request request;
  const auto answer = [&](api::ErrorCode code) {
    return header(respond(call(request), "/stats", tl::unexpected(api::Error{code})), "Set-Cookie");
  };
  EXPECT_NE(answer(api::ErrorCode::unavailable), "none");
  EXPECT_EQ(answer(api::ErrorCode::rate_limited), "none");
}

TEST_F(ResponseHeaders, ConflictingCookiesAreDeletedForAllDomainsAndPathsOfTheHost) {
  http::Request request;
  request.host = "www.shop.example.org";
  request.https = true;
  api::Call rated = call(request);
  rated.requester.has_conflicting_cookies = true;
  std::vector<std::string> cookies;
  for (const http::Header& one : respond(rated, "/stats", api::Answer{"{}"}).headers) {
    if (one.name == "Set-Cookie") cookies.push_back(one.value);
  }
  std::vector<std::string> expected;
  for (const std::string domain : {"www.shop.example.org", "shop.example.org", "example.org"}) {
    for (const std::string path : {"/", "/wp-json", "/wp-json/", "/wp-json/ratingd",
                                   "/wp-json/ratingd/", "/wp-json/ratingd/v1"}) {
      expected.push_back(
          support::voter_cookie("; Domain=" + domain + "; Path=" + path + "; Max-Age=0"));
    }
  }
  ASSERT_EQ(cookies.size(), expected.size() + 1);
  EXPECT_EQ(cookies.back().find("Domain"), std::string::npos) << "our own, last";
  cookies.pop_back();
  EXPECT_EQ(cookies, expected);
}

TEST_F(ResponseHeaders, DeletionsOfRivalCookiesAreFewWhateverThePathAndTheHost) {
  const std::string slashes(8000, '/');
  const std::string labels = [] {
    std::string host;
    for (int i = 0; i < 100; ++i) host += "a.";
    return host + "example.org";
  }();
  for (const std::string& path :
       {slashes, std::string("/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/index.php")}) {
    http::Request request;
    request.host = labels;
    request.path = "/wp-json/ratingd/v1/stats/1";
    request.sent_path = path;
    api::Call rated = call(request);
    rated.requester.has_conflicting_cookies = true;
    const http::Response response = respond(rated, "/stats", api::Answer{"{}"});
    EXPECT_LE(std::ranges::count(response.headers, "Set-Cookie", &http::Header::name), 25);
  }
}

// The response to an internal error must not contain data about the sender, because these data may
// be wrong.
TEST_F(ResponseHeaders, FailureRevealsNothingAboutTheSender) {
  const http::Request request;
  api::Call failed = call(request);
  const auto answer = [&] {
    return respond(failed, "/stats", tl::unexpected(api::Error{api::ErrorCode::internal}));
  };
  for (const char* name : {"Allow", "RateLimit", "X-WP-Nonce"}) {
    EXPECT_NE(header(answer(), name), "none") << name;
  }
  dispatch::clear_findings(failed);
  EXPECT_EQ(answer().status, 500);
  EXPECT_EQ(answer().headers, (std::vector<http::Header>{{"Cache-Control", "no-store"}}));
}

// Browsers keep the answer to a preflight for Access-Control-Max-Age seconds, whatever
// Cache-Control is.
TEST_F(ResponseHeaders, PreflightMayBeKeptByBrowsersOnlyAndHasTheMethods) {
  http::Request request;
  request.method = Method::options;
  request.origin = "https://example.org";
  request.has_origin = true;
  request.preflight_method = "POST";
  const http::Response response = service_.serve(request, "/rate");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(header(response, "Access-Control-Allow-Methods"), "OPTIONS, POST, DELETE");
  EXPECT_EQ(header(response, "Access-Control-Max-Age"), "600");
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  request.origin = "https://evil.example";
  EXPECT_EQ(header(service_.serve(request, "/settings"), "Cache-Control"), "no-store");
}

// If a response to a HEAD request had a body, FastCGI would send it, and the client would read it
// as the beginning of the next response.
TEST_F(ResponseHeaders, HeadHasTheHeadersOfGetAndNoBody) {
  for (const std::string path : {"/stats/1", "/public/stats/1", "/settings", "/nowhere"}) {
    http::Request request;
    request.method = Method::get;
    const http::Response get = service_.serve(request, path);
    request.method = Method::head;
    const http::Response head = service_.serve(request, path);
    EXPECT_EQ(head.status, get.status) << path;
    EXPECT_NE(get.body, "") << path;
    EXPECT_EQ(head.body, "") << path;
    EXPECT_FALSE(head.pieces) << path;
    EXPECT_EQ(header(head, "Content-Length"), std::to_string(get.body.size())) << path;
  }
}

// In version 0.3, the plugin sends a ticket with each request. If a response contains the link to
// the REST API, the plugin concludes that WordPress sent the response.
TEST_F(ResponseHeaders, AnswersToThePluginDoNotNameTheRestApiOfWordPress) {
  http::Request request;
  request.has_ticket = true;
  request.ticket = "any";
  EXPECT_EQ(header(service_.serve(request, "/stats/x"), "Link"), "none");
}

TEST_F(ResponseHeaders, AnswersNameTheRestApiOfWordPress) {
  const http::Request request;
  const auto link = [&] { return header(service_.serve(request, "/stats/x"), "Link"); };
  EXPECT_EQ(link(), "<https://example.org/index.php?rest_route=/>; rel=\"https://api.w.org/\"");
  service_.wordpress().set_option("permalink_structure", "/%postname%/");
  service_.change({});
  EXPECT_EQ(link(), "<https://example.org/wp-json/>; rel=\"https://api.w.org/\"");
}

}  // namespace
