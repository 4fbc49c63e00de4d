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

}  // namespace
