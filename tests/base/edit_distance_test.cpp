#include "base/edit_distance.h"

#include <gtest/gtest.h>

namespace {

using base::edit_distance;

TEST(EditDistance, CountsInsertedRemovedAndChangedBytes) {
  EXPECT_EQ(edit_distance("threads", "threads"), 0U);
  EXPECT_EQ(edit_distance("thread", "threads"), 1U);
  EXPECT_EQ(edit_distance("hreads", "threads"), 1U);
  EXPECT_EQ(edit_distance("threats", "threads"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(EditDistance, ToNothingIsTheLength) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

}  // namespace
