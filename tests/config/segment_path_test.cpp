#include "config/segment_path.h"

#include <gtest/gtest.h>

namespace {

TEST(CacheSegmentPath, DiffersWithSiteAndSize) {
  config::Config one, other;
  other.table_prefix = "other_";
  EXPECT_EQ(config::cache_segment_path(one, 16), config::cache_segment_path(one, 16));
  EXPECT_NE(config::cache_segment_path(one, 16), config::cache_segment_path(one, 32));
  EXPECT_NE(config::cache_segment_path(one, 16), config::cache_segment_path(other, 16));
}

TEST(SegmentPath, SitesOfANetworkShareThoseOfThePool) {
  config::Config first, second;
  first.network.exists = first.network.serves_all = true;
  second = first;
  second.network.blog_id = 2;
  second.table_prefix = "wp_2_";
  second.base_path = "/two/wp-json/ratingd/v1";
  EXPECT_EQ(config::segment_path(first, "limits"), config::segment_path(second, "limits"));
  EXPECT_NE(config::site_segment_path(first, "site"), config::site_segment_path(second, "site"));
  const config::Config alone;
  EXPECT_EQ(config::site_segment_path(alone, "turn"), config::segment_path(alone, "turn"));
}

}  // namespace
