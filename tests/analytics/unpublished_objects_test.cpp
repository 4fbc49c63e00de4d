#include "analytics/unpublished_objects.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "support/database.h"
#include "support/wordpress_cms.h"
#include "support/wordpress_site.h"

namespace {

using namespace std::chrono_literals;
using model::ObjectSet;

class UnpublishedObjects : public ::testing::Test {
 protected:
  // Adds posts 1 to 20,000, each with ratings in two categories. Posts with odd ids are drafts.
  static constexpr std::size_t kPosts = 20'000;
  void add_posts() {
    const std::string digits =
        "(SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4"
        " UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8"
        " UNION ALL SELECT 9)";
    const std::string numbers =
        "(SELECT 1 + a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n AS i FROM " + digits +
        " a, " + digits + " b, " + digits + " c, " + digits +
        " d, (SELECT 0 AS n UNION ALL SELECT 1) e) numbers";
    site_.connection().execute(
        "INSERT INTO wp_posts (ID, post_title, post_status, post_name, post_type)"
        " SELECT i, 't', IF(i % 2 = 1, 'draft', 'publish'), 'n', 'post' FROM " +
        numbers);
    for (const char* category : {"0", "2"}) {
      site_.connection().execute(
          "INSERT INTO wp_ratingd_totals (object_id, object_type, category) SELECT i, 'post', " +
          std::string(category) + " FROM " + numbers);
    }
  }

  support::Database database_;
  support::WordPressSite site_{database_};
  const cms::Cms& cms_ = support::wordpress_cms();
};

TEST_F(UnpublishedObjects, ManyAreFoundChunkByChunk) {
  add_posts();
  const auto omitted = cms_.rated_and_omitted(site_.connection(), {}, {}, 1min);
  ASSERT_TRUE(omitted);
  const ObjectSet& found = omitted->for_everybody;
  EXPECT_EQ(found.size(), kPosts / 2);
  for (const std::uint64_t id : {1U, 4999U, 5001U, 19'999U}) {
    EXPECT_TRUE(found.contains("post", id)) << id;
    EXPECT_FALSE(found.contains("post", id + 1)) << id;
  }
}

TEST_F(UnpublishedObjects, FastLookupIsNotCached) {
  const analytics::UnpublishedObjects unpublished(cms_, {.min_cost = 1h});
  add_posts();
  EXPECT_EQ(unpublished.find(site_.connection(), {}, 1min)->for_everybody.size(), kPosts / 2);
  site_.connection().execute("UPDATE wp_posts SET post_status = 'publish' WHERE ID > 3");
  EXPECT_EQ(unpublished.find(site_.connection(), {}, 1min)->for_everybody,
            (model::ObjectSet{{1, "post"}, {3, "post"}}));
}

TEST_F(UnpublishedObjects, SlowLookupIsCached) {
  const analytics::UnpublishedObjects unpublished(cms_, {.min_cost = 0ms, .age_per_cost = 100'000});
  add_posts();
  const auto first = unpublished.find(site_.connection(), {}, 1min);
  ASSERT_NE(first, nullptr);
  site_.connection().execute("DELETE FROM wp_posts");
  EXPECT_EQ(unpublished.find(site_.connection(), {}, 0ms), first);
}

TEST_F(UnpublishedObjects, WhatTookLongIsNotTriedAgainInLessTime) {
  const analytics::UnpublishedObjects unpublished(cms_, {.min_cost = 1h});
  add_posts();
  EXPECT_EQ(unpublished.find(site_.connection(), {}, -1ms), nullptr) << "there is no time at all";
  EXPECT_NE(unpublished.find(site_.connection(), {}, 1min), nullptr);
  EXPECT_EQ(unpublished.find(site_.connection(), {}, 1ms), nullptr);
}

}  // namespace
