#include "admin/output.h"

#include <gtest/gtest.h>

namespace {

TEST(Wrapped, ContinuesAfterASpaceThatFits) {
  EXPECT_EQ(admin::wrapped("one two three", 9), "one two\nthree");
  EXPECT_EQ(admin::wrapped("one two three", 13), "one two three");
  EXPECT_EQ(admin::wrapped("a\n\nb\n", 9), "a\n\nb");
  EXPECT_EQ(admin::wrapped("a-long-word is-not-divided", 5), "a-long-word\nis-not-divided");
}

TEST(Wrapped, ContinuesBelowTheTextOfATableOrAList) {
  EXPECT_EQ(admin::wrapped("ok    secret    one two three", 24),
            "ok    secret    one two\n                three");
  EXPECT_EQ(admin::wrapped("  1. one two three", 12), "  1. one two\n     three");
  EXPECT_EQ(admin::wrapped(" 10. one two three", 12), " 10. one two\n     three");
}

TEST(Wrapped, KeepsCommandsTogether) {
  EXPECT_EQ(admin::wrapped("gone; run: systemctl status ratingd.socket; it says why", 20),
            "gone; run:\nsystemctl status ratingd.socket;\nit says why");
  EXPECT_EQ(admin::wrapped("  curl -d 1 https://example.org/", 20),
            "  curl -d 1 https://example.org/");
}

}  // namespace
