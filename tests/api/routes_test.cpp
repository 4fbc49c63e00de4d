#include "api/routes.h"

#include <gtest/gtest.h>

namespace {

using http::Method;

TEST(Routes, ArgumentIsTheSegmentOfThePath) {
  const api::Match match = api::find_route("/stats/12abc");
  ASSERT_NE(match.with(Method::get), nullptr);
  EXPECT_EQ(match.argument, "12abc");
}

TEST(Routes, ArgumentsOfTwoSegmentsHaveASlashBetween) {
  const api::Match match = api::find_route("/templates/simple/stars/");
  EXPECT_EQ(match.methods(), "GET, DELETE");
  EXPECT_EQ(match.argument, "simple/stars");
  EXPECT_EQ(api::find_route("/templates").argument, "");
}

TEST(Routes, MatchWhateverTheCaseAndWithATrailingSlash) {
  EXPECT_NE(api::find_route("/RATE").with(Method::post), nullptr);
  EXPECT_NE(api::find_route("/rate/").with(Method::post), nullptr);
  EXPECT_NE(api::find_route("/").with(Method::get), nullptr);
  EXPECT_NE(api::find_route("").with(Method::get), nullptr);
}

TEST(Routes, OtherPathsLeadNowhere) {
  for (const char* path : {"/nothing", "/rate/1", "/stats/1/2", "//", "/stats//", "/templates/x",
                           "/templates/x/y/z"}) {
    EXPECT_TRUE(api::find_route(path).routes.empty()) << path;
  }
}

TEST(Routes, PathsKnowTheirMethods) {
  EXPECT_EQ(api::find_route("/rate").methods(), "POST, DELETE");
  EXPECT_EQ(api::find_route("/stats/1").methods(), "GET");
  EXPECT_EQ(api::find_route("/rate").with(Method::get), nullptr);
}

}  // namespace
