// Tests the support for the `_fields` parameter in lib/dispatch/serve.h.

#include <gtest/gtest.h>

#include "dispatch/serve.h"

namespace {

const std::string kBody =
    R"({"success":true,"object_id":1,"stats":{"binary":{"total":2,"average":0.5},"scale":{"total":0}}})";

TEST(Projection, KeepsWhatIsNamedAndSuccess) {
  EXPECT_EQ(dispatch::project(kBody, {"object_id"}), R"({"success":true,"object_id":1})");
}

TEST(Projection, GoesIntoObjectsByDots) {
  EXPECT_EQ(dispatch::project(kBody, {"stats.binary.total", "stats.scale"}),
            R"({"success":true,"stats":{"binary":{"total":2},"scale":{"total":0}}})");
}

TEST(Projection, GoesIntoTheObjectsOfAnArray) {
  EXPECT_EQ(dispatch::project(R"({"data":[{"a":1,"b":2},{"a":3}],"total":2})", {"data.a"}),
            R"({"data":[{"a":1},{"a":3}]})");
}

TEST(Projection, UnknownNamesLeaveNothingElse) {
  EXPECT_EQ(dispatch::project(kBody, {"nothing"}), R"({"success":true})");
}

TEST(Projection, NumbersKeepTheirText) {
  EXPECT_EQ(dispatch::project(R"({"a":12345678901234567890,"b":0.70})", {"a", "b"}),
            R"({"a":12345678901234567890,"b":0.70})");
}

TEST(Projection, NamesThatBeginAlikeAreOneTree) {
  EXPECT_EQ(dispatch::project(kBody, {"stats", "stats.binary.total"}),
            R"({"success":true,"stats":{"binary":{"total":2,"average":0.5},"scale":{"total":0}}})");
  EXPECT_EQ(
      dispatch::project(kBody, {"stats.binary.total", "stats.binary.average", "stats.binary.no"}),
      R"({"success":true,"stats":{"binary":{"total":2,"average":0.5}}})");
}

TEST(Projection, NoDepthIsTooDeep) {
  std::string deep = "stats";
  for (int i = 0; i < 30'000; ++i) deep += ".binary";
  EXPECT_EQ(dispatch::project(kBody, {deep}), R"({"success":true,"stats":{"binary":{}}})");
}

TEST(Projection, WhatIsNoObjectStaysAsItIs) {
  EXPECT_EQ(dispatch::project("[1,2]", {"a"}), "[1,2]");
  EXPECT_EQ(dispatch::project("", {"a"}), "");
}

}  // namespace
