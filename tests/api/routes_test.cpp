#include "api/routes.h"

#include <gtest/gtest.h>

#include "handlers/handlers.h"

namespace {

using http::Method;

TEST(Routes, ArgumentIsTheSegmentOfThePath) {
  const api::Match match = api::find_route(handlers::routes(), "/stats/12abc");
  ASSERT_NE(match.with(Method::get), nullptr);
  EXPECT_EQ(match.argument, "12abc");
}

TEST(Routes, ArgumentsOfTwoSegmentsHaveASlashBetween) {
  const api::Match match = api::find_route(handlers::routes(), "/templates/simple/stars/");
  EXPECT_EQ(match.methods(), "GET, DELETE");
  EXPECT_EQ(match.argument, "simple/stars");
  EXPECT_EQ(api::find_route(handlers::routes(), "/templates").argument, "");
}

TEST(Routes, MatchWhateverTheCaseAndWithATrailingSlash) {
  EXPECT_NE(api::find_route(handlers::routes(), "/RATE").with(Method::post), nullptr);
  EXPECT_NE(api::find_route(handlers::routes(), "/rate/").with(Method::post), nullptr);
  EXPECT_NE(api::find_route(handlers::routes(), "/").with(Method::get), nullptr);
  EXPECT_NE(api::find_route(handlers::routes(), "").with(Method::get), nullptr);
}

TEST(Routes, OtherPathsLeadNowhere) {
  for (const char* path : {"/nothing", "/rate/1", "/stats/1/2", "//", "/stats//", "/templates/x",
                           "/templates/x/y/z"}) {
    EXPECT_TRUE(api::find_route(handlers::routes(), path).routes.empty()) << path;
  }
}

TEST(Routes, PathsKnowTheirMethods) {
  EXPECT_EQ(api::find_route(handlers::routes(), "/rate").methods(), "POST, DELETE");
  EXPECT_EQ(api::find_route(handlers::routes(), "/stats/1").methods(), "GET");
  EXPECT_EQ(api::find_route(handlers::routes(), "/rate").with(Method::get), nullptr);
}

http::Request request(http::Method method, std::string_view path) {
  http::Request request;
  request.method = method;
  request.path = path;
  return request;
}

TEST(Routes, PathIsBelowTheBasePathAndDecoded) {
  const auto routes = [](std::string_view path) {
    return api::find_route(handlers::routes(), "/base", request(Method::get, path)).routes.size();
  };
  EXPECT_EQ(routes("/base/rate"), 2U);
  EXPECT_EQ(routes("/base/%72ate/"), 2U);
  EXPECT_EQ(routes("/base"), 1U);
  EXPECT_EQ(routes("/baserate"), 0U);
  EXPECT_EQ(routes("/other/rate"), 0U);
}

TEST(Routes, NoOtherMethodSelectsASharedRoute) {
  const api::Match match = api::find_route(handlers::routes(), "/public/stats/1");
  EXPECT_TRUE(match.is_shared());
  EXPECT_FALSE(api::find_route(handlers::routes(), "/stats/1").is_shared());
  http::Request asked = request(Method::head, "/public/stats/1");
  EXPECT_NE(api::choose_route(match, asked), nullptr);
  asked.method = Method::post;
  asked.method_override = "GET";
  EXPECT_EQ(api::choose_route(match, asked), nullptr);
}

TEST(Routes, OnlyAPostIsOverridden) {
  http::Request asked = request(Method::post, "/rate");
  EXPECT_EQ(api::effective_method(asked), Method::post);
  asked.method_override = "delete";
  EXPECT_EQ(api::effective_method(asked), Method::delete_);
  asked.query = "_method=PUT";
  EXPECT_EQ(api::effective_method(asked), Method::put) << "the query comes first";
  asked.query = "_method=MOVE";
  EXPECT_EQ(api::effective_method(asked), Method::other);
  asked.method = Method::head;
  EXPECT_EQ(api::effective_method(asked), Method::get);
  asked.method = Method::put;
  EXPECT_EQ(api::effective_method(asked), Method::put);
}

}  // namespace
