// Tests the rules in lib/api/access.h and lib/dispatch/response_headers.h for requests from pages
// on other sites.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "api/access.h"
#include "dispatch/response_headers.h"
#include "handlers/handlers.h"

namespace {

using http::Header;
using http::Method;

store::SiteState shop_site() {
  store::SiteState site;
  site.origins = {"https://example.org", "https://example.org"};
  site.settings.allowed_origins = {"https://shop.example.org", "https://example.com:8443"};
  return site;
}

http::Request request_from(std::string_view origin, Method method = Method::post) {
  http::Request request;
  request.method = method;
  request.origin = origin;
  request.has_origin = true;
  return request;
}

constexpr dispatch::CorsPath kPublic{.is_public = true, .is_for_voters = true};
constexpr dispatch::CorsPath kVoters{.is_public = false, .is_for_voters = true};

std::vector<Header> with_credentials(const std::string& origin) {
  return {{"Access-Control-Allow-Origin", origin}, {"Access-Control-Allow-Credentials", "true"}};
}

TEST(Origin, OwnAndAllowedOnesMayChange) {
  for (const char* origin :
       {"https://example.org", "https://shop.example.org", "https://example.com:8443"}) {
    EXPECT_TRUE(api::may_change(request_from(origin), shop_site())) << origin;
  }
}

TEST(Origin, LookalikeOfAnAllowedOriginMayNotChange) {
  for (const char* origin :
       {"http://shop.example.org", "https://shop.example.org:8443", "https://example.com",
        "https://shop.example.org.evil.example", "https://evilshop.example.org", "null", ""}) {
    EXPECT_FALSE(api::may_change(request_from(origin), shop_site())) << origin;
  }
}

TEST(Origin, AllowedOneMayChangeThoughItIsCrossSite) {
  http::Request request = request_from("https://example.com:8443");
  request.sec_fetch_site = "cross-site";
  EXPECT_TRUE(api::may_change(request, shop_site()));
}

TEST(Origin, AllowedOneGetsCredentials) {
  EXPECT_EQ(dispatch::cors_headers(request_from("https://shop.example.org"), shop_site(), kVoters),
            with_credentials("https://shop.example.org"));
  EXPECT_EQ(dispatch::cors_headers(request_from("https://shop.example.org", Method::get),
                                   shop_site(), kPublic),
            with_credentials("https://shop.example.org"));
}

TEST(Origin, OfAnAppIsAllowedExactly) {
  store::SiteState state = shop_site();
  state.settings.allowed_origins = {"capacitor://localhost"};
  EXPECT_TRUE(api::may_change(request_from("capacitor://localhost"), state));
  for (const char* other : {"ionic://localhost", "capacitor://localhost:80", "http://localhost"}) {
    EXPECT_FALSE(api::may_change(request_from(other), state)) << other;
  }
  EXPECT_EQ(dispatch::cors_headers(request_from("capacitor://localhost"), state, kVoters),
            with_credentials("capacitor://localhost"));
  EXPECT_TRUE(api::is_allowed_third_party(request_from("capacitor://localhost"), state));
}

TEST(Origin, NullIsAllowedByItsOwnSettingOnly) {
  store::SiteState state = shop_site();
  EXPECT_FALSE(api::may_change(request_from("null"), state));
  state.settings.allow_null_origin = true;
  EXPECT_TRUE(api::may_change(request_from("null"), state));
  EXPECT_FALSE(api::may_change(request_from(""), state));
  EXPECT_EQ(dispatch::cors_headers(request_from("null"), state, kVoters), with_credentials("null"));
  EXPECT_TRUE(api::is_allowed_third_party(request_from("null"), state));
}

TEST(Origin, NullMaySendCredentialsToRoutesOfVotersOnly) {
  store::SiteState state = shop_site();
  state.settings.allow_null_origin = true;
  EXPECT_EQ(dispatch::cors_headers(request_from("null"), state, {.is_public = true}),
            (std::vector<Header>{{"Access-Control-Allow-Origin", "*"}}));
  EXPECT_TRUE(dispatch::cors_headers(request_from("null"), state, {}).empty());
  const auto preflight = [&](std::string_view path) {
    return dispatch::preflight(request_from("null", Method::options), state,
                               api::find_route(handlers::routes(), path));
  };
  EXPECT_TRUE(preflight("/settings").headers.empty());
  EXPECT_EQ(preflight("/templates").headers.front(),
            (Header{"Access-Control-Allow-Methods", "OPTIONS, GET, HEAD"}));
  EXPECT_EQ(preflight("/rate").headers.front(),
            (Header{"Access-Control-Allow-Methods", "OPTIONS, POST, DELETE"}));
}

// Returns the names of the allowed headers in the response to a preflight request for GET /stats.
std::string allowed_headers(std::string_view origin, const store::SiteState& state) {
  const api::Answer answer = dispatch::preflight(request_from(origin, Method::options), state,
                                                 api::find_route(handlers::routes(), "/stats"));
  const auto at = std::ranges::find(answer.headers, "Access-Control-Allow-Headers", &Header::name);
  return at == answer.headers.end() ? "" : at->value;
}

TEST(Origin, AllowedOnesMayAddTheHeadersOfTheSetting) {
  store::SiteState state = shop_site();
  state.settings.allow_null_origin = true;
  EXPECT_TRUE(allowed_headers("https://shop.example.org", state)
                  .ends_with(", sentry-trace, baggage, traceparent, tracestate"));
  state.settings.allowed_headers = {"x-of-our-own"};
  EXPECT_TRUE(allowed_headers("https://shop.example.org", state).ends_with(", x-of-our-own"));
  for (const char* origin : {"null", "https://evil.example"}) {
    EXPECT_EQ(allowed_headers(origin, state),
              "Content-Type, If-None-Match, X-Requested-With, X-WP-Nonce, X-Ratingd-Device")
        << origin;
  }
}

TEST(Origin, AnyMaySendAPostThatChangesNothing) {
  const api::Match preview = api::find_route(handlers::routes(), "/preview");
  const api::Answer answer = dispatch::preflight(
      request_from("https://evil.example", Method::options), shop_site(), preview);
  ASSERT_FALSE(answer.headers.empty());
  EXPECT_EQ(answer.headers.front(), (Header{"Access-Control-Allow-Methods", "OPTIONS, POST"}));
  for (const api::Route& route : handlers::routes()) {
    EXPECT_EQ(is_safe_post(route), route.path == "/preview") << route.path;
  }
}

TEST(Origin, AnyOtherReadsWithoutCredentials) {
  EXPECT_EQ(dispatch::cors_headers(request_from("https://evil.example", Method::get), shop_site(),
                                   kPublic),
            (std::vector<Header>{{"Access-Control-Allow-Origin", "*"}}));
  EXPECT_TRUE(
      dispatch::cors_headers(request_from("https://evil.example"), shop_site(), kVoters).empty());
}

TEST(Origin, PreflightOfAnAllowedOneNamesAllMethods) {
  const api::Answer response =
      dispatch::preflight(request_from("https://shop.example.org", Method::options), shop_site(),
                          api::find_route(handlers::routes(), "/rate"));
  EXPECT_EQ(response.status, 204);
  ASSERT_FALSE(response.headers.empty());
  EXPECT_EQ(response.headers.front(),
            (Header{"Access-Control-Allow-Methods", "OPTIONS, POST, DELETE"}));
}

// Pages with the origin "null" must not be able to test passwords, because any page can have this
// origin.
TEST(Origin, PreflightOfNullNamesNoCredentials) {
  store::SiteState state = shop_site();
  state.settings.allow_null_origin = true;
  const auto headers_for = [&](std::string_view origin) {
    const api::Answer answer = dispatch::preflight(request_from(origin, Method::options), state,
                                                   api::find_route(handlers::routes(), "/rate"));
    const auto at =
        std::ranges::find(answer.headers, "Access-Control-Allow-Headers", &Header::name);
    return at == answer.headers.end() ? "" : at->value;
  };
  EXPECT_NE(headers_for("https://shop.example.org").find("Authorization"), std::string::npos);
  EXPECT_NE(headers_for("null").find("X-Ratingd-Device"), std::string::npos);
  EXPECT_EQ(headers_for("null").find("Authorization"), std::string::npos);
  EXPECT_EQ(headers_for("null").find("X-Ratingd-Ticket"), std::string::npos);
}

TEST(Origin, ErrorNamesAllThatAreAllowedOnce) {
  EXPECT_EQ(api::bad_origin(shop_site()).message.text(),
            "Requests from this origin are not allowed. Allowed: https://example.org, "
            "https://shop.example.org, https://example.com:8443.");
  EXPECT_EQ(api::bad_origin({}).message.text(), "");
}

TEST(Origin, ThirdPartiesAreAllowedAndOfAnotherSite) {
  EXPECT_TRUE(api::is_allowed_third_party(request_from("https://example.com:8443"), shop_site()));
  EXPECT_FALSE(api::is_allowed_third_party(request_from("https://example.org"), shop_site()));
  EXPECT_FALSE(api::is_allowed_third_party(request_from("https://evil.example"), shop_site()));
  EXPECT_FALSE(api::is_allowed_third_party({}, shop_site()));

  http::Request sibling = request_from("https://shop.example.org");
  sibling.sec_fetch_site = "same-site";
  EXPECT_FALSE(api::is_allowed_third_party(sibling, shop_site()));
}

}  // namespace
