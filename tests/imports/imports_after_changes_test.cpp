// Tests repeated imports (lib/imports/plugin_import.h) after ratings were merged in ratingd.

#include <gtest/gtest.h>

#include "support/plugin_situation.h"
#include "transfer/merge_objects.h"

namespace {

using support::kTime;
using support::Lines;

class ImportsAfterChanges : public support::PluginSituation {
 protected:
  void merge(std::uint64_t from, std::uint64_t into) {
    const transfer::ObjectPair pair{{from, "post"}, {into, "post"}};
    transfer::merge_objects(owner_, {&pair, 1}, [](std::uint64_t) {});
  }
};

TEST_F(ImportsAfterChanges, SumsOfMergedPostsAreNotMovedBack) {
  make_tables(imports::kk_star_ratings::kPlugin);
  set_meta(1, "_kksr_casts", "6");
  set_meta(1, "_kksr_ratings", "24");
  import(imports::kk_star_ratings::kPlugin);
  merge(1, 2);
  const Lines merged = aggregates();
  EXPECT_EQ(shown(2), "6 x 4.00");
  for (int i = 0; i < 2; ++i) {
    const PluginReport report = import(imports::kk_star_ratings::kPlugin);
    ASSERT_EQ(report.differences.size(), 1U);
    EXPECT_EQ(report.differences[0], (imports::Difference{"post 1", 6, 4, 0, 0, imports::kMerged}));
    EXPECT_EQ(aggregates(), merged);
    merge(1, 2);
  }
  expect_verified();
}

TEST_F(ImportsAfterChanges, PostThatReceivedSumsKeepsThem) {
  make_tables(imports::kk_star_ratings::kPlugin);
  for (const auto& [post, casts, sum] : {std::tuple(1, "6", "24"), std::tuple(2, "10", "40")}) {
    set_meta(post, "_kksr_casts", casts);
    set_meta(post, "_kksr_ratings", sum);
  }
  import(imports::kk_star_ratings::kPlugin);
  merge(1, 2);
  const Lines merged = aggregates();
  EXPECT_EQ(shown(2), "16 x 4.00");
  EXPECT_EQ(import(imports::kk_star_ratings::kPlugin).different, 2);
  EXPECT_EQ(aggregates(), merged);
  expect_verified();
}

TEST_F(ImportsAfterChanges, DatedSumsOfMergedPostsAreNotMovedBack) {
  make_tables(imports::yasr::kPlugin);
  yasr(5, kTime, "192.0.2.7");
  yasr(1, "2026-01-09 12:00:00", "192.0.2.7");
  import(imports::yasr::kPlugin);
  merge(1, 2);
  const Lines merged = everything();
  EXPECT_EQ(shown(2), "2 x 3.00");
  import(imports::yasr::kPlugin);
  EXPECT_EQ(everything(), merged);
  expect_verified();
}

}  // namespace
