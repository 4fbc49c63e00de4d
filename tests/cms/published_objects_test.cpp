#include "cms/published_objects.h"

#include <gtest/gtest.h>

namespace {

using cms::ObjectState;
using cms::PublishedObjects;
using model::ObjectCheck;

constexpr base::Time kNow{std::chrono::hours(1)};

TEST(PublishedObjects, AreKeptForAMinute) {
  PublishedObjects objects;
  const ObjectState post{"post", ObjectCheck::published};
  objects.fill({1, "post"}, post, kNow);
  EXPECT_EQ(objects.find({1, "post"}, kNow + PublishedObjects::kLife - std::chrono::seconds(1)),
            post);
  EXPECT_EQ(objects.find({1, "post"}, kNow + PublishedObjects::kLife), std::nullopt);
  EXPECT_EQ(objects.find({1, "page"}, kNow), std::nullopt);
}

TEST(PublishedObjects, OthersAreNotKept) {
  PublishedObjects objects;
  objects.fill({1, "post"}, {"post", ObjectCheck::known}, kNow);
  objects.fill({2, "post"}, {}, kNow);
  EXPECT_EQ(objects.find({1, "post"}, kNow), std::nullopt);
  EXPECT_EQ(objects.find({2, "post"}, kNow), std::nullopt);
}

TEST(PublishedObjects, AreBoundedInNumber) {
  PublishedObjects objects;
  for (std::uint64_t id = 1; id <= PublishedObjects::kMaxObjects + 1; ++id) {
    objects.fill({id, "post"}, {"post", ObjectCheck::published}, kNow);
  }
  EXPECT_EQ(objects.find({1, "post"}, kNow), std::nullopt);
  EXPECT_TRUE(objects.find({PublishedObjects::kMaxObjects + 1, "post"}, kNow));
}

}  // namespace
