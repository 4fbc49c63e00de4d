#include <gtest/gtest.h>

#include "api/serve.h"

namespace {

const std::string kBody =
    R"({"success":true,"object_id":1,"stats":{"binary":{"total":2,"average":0.5},"scale":{"total":0}}})";

TEST(Projection, KeepsWhatIsNamedAndSuccess) {
  EXPECT_EQ(api::project(kBody, {"object_id"}), R"({"success":true,"object_id":1})");
}

TEST(Projection, GoesIntoObjectsByDots) {
  EXPECT_EQ(api::project(kBody, {"stats.binary.total", "stats.scale"}),
            R"({"success":true,"stats":{"binary":{"total":2},"scale":{"total":0}}})");
}

TEST(Projection, GoesIntoTheObjectsOfAnArray) {
  EXPECT_EQ(api::project(R"({"data":[{"a":1,"b":2},{"a":3}],"total":2})", {"data.a"}),
            R"({"data":[{"a":1},{"a":3}]})");
}

TEST(Projection, UnknownNamesLeaveNothingElse) {
  EXPECT_EQ(api::project(kBody, {"nothing"}), R"({"success":true})");
}

TEST(Projection, NumbersKeepTheirText) {
  EXPECT_EQ(api::project(R"({"a":12345678901234567890,"b":0.70})", {"a", "b"}),
            R"({"a":12345678901234567890,"b":0.70})");
}

TEST(Projection, NamesThatBeginAlikeAreOneTree) {
  EXPECT_EQ(api::project(kBody, {"stats", "stats.binary.total"}),
            R"({"success":true,"stats":{"binary":{"total":2,"average":0.5},"scale":{"total":0}}})");
  EXPECT_EQ(api::project(kBody, {"stats.binary.total", "stats.binary.average", "stats.binary.no"}),
            R"({"success":true,"stats":{"binary":{"total":2,"average":0.5}}})");
}

TEST(Projection, NoDepthIsTooDeep) {
  std::string deep = "stats";
  for (int i = 0; i < 30'000; ++i) deep += ".binary";
  EXPECT_EQ(api::project(kBody, {deep}), R"({"success":true,"stats":{"binary":{}}})");
}

TEST(Projection, WhatIsNoObjectStaysAsItIs) {
  EXPECT_EQ(api::project("[1,2]", {"a"}), "[1,2]");
  EXPECT_EQ(api::project("", {"a"}), "");
}

}  // namespace
