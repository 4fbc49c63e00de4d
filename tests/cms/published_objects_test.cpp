#include "cms/published_objects.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/clock.h"

namespace {

using cms::ObjectState;
using model::ObjectCheck;
using runtime::CacheEpoch;
using std::chrono::seconds;

class PublishedObjects : public ::testing::Test {
 protected:
  static constexpr seconds kTtl{2};
  static constexpr std::uint64_t kServer = 1;

  void fill(std::uint64_t id, ObjectCheck passed = ObjectCheck::published) {
    objects_.fill({id, "post"}, {"post", passed}, objects_.stamp());
  }
  bool has(std::uint64_t id) { return objects_.find({id, "post"}).has_value(); }

  CacheEpoch::Shared shared_{};
  CacheEpoch epoch_{shared_};
  support::FixedClock clock_{base::Day(std::chrono::year(2026) / 11 / 21)};
  cms::PublishedObjects objects_{epoch_, kTtl, clock_};
};

TEST_F(PublishedObjects, AreKeptWithTheirStateAndType) {
  fill(1);
  EXPECT_EQ(objects_.find({1, "post"}), (ObjectState{"post", ObjectCheck::published}));
  EXPECT_EQ(objects_.find({1, "page"}), std::nullopt);
  clock_.advance(kTtl);
  EXPECT_FALSE(has(1));
}

TEST_F(PublishedObjects, OthersAreNotKept) {
  fill(1, ObjectCheck::known);
  fill(2, ObjectCheck::off);
  EXPECT_FALSE(has(1));
  EXPECT_FALSE(has(2));
}

TEST_F(PublishedObjects, AreValidWhileTheEpochLastsAndAtMostAMinute) {
  auto state = epoch_.begin_next(epoch_.state(), clock_.uptime(), kServer);
  fill(1);
  clock_.advance(kTtl);
  state = epoch_.confirm(*state, clock_.uptime(), kServer);
  EXPECT_TRUE(has(1));
  clock_.advance(CacheEpoch::kMaxAge - kTtl);
  state = epoch_.confirm(*state, clock_.uptime(), kServer);
  EXPECT_FALSE(has(1));
  fill(2);
  clock_.advance(kTtl);
  state = epoch_.begin_next(*state, clock_.uptime(), kServer);  // ratings were deleted
  EXPECT_FALSE(has(2));
}

TEST_F(PublishedObjects, AreBoundedInNumber) {
  constexpr std::uint64_t kMost = cms::PublishedObjects::kMaxObjects;
  for (std::uint64_t id = 1; id <= 2 * kMost + 1; ++id) fill(id);
  EXPECT_FALSE(has(kMost));
  EXPECT_TRUE(has(kMost + 1));
  EXPECT_TRUE(has(2 * kMost + 1));
}

}  // namespace
