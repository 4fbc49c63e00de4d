// Tests lib/imports/plugin_import.h on sites where version 0.3 has already imported votes.

#include <gtest/gtest.h>

#include "rollups/rollup.h"
#include "support/plugin_situation.h"
#include "transfer/rating_removal.h"

namespace {

using support::Lines;

class ImportsOf03 : public support::PluginSituation {
 protected:
  // Changes ratingd's tables as if version 0.3 had imported the votes. Version 0.3 stored the same
  // ratings, but no rows in the ratingd_imports table. If the plugin counted votes without logging
  // them, version 0.3 stored the sum of these votes for the day on which the post was published.
  void become_03(const Lines& sums_of_03) {
    owner_.execute("DELETE FROM wp_ratingd_imports");
    std::vector<rollups::Aggregate::Key> others;
    db::Rows row = owner_.query("SELECT " + rollups::aggregates_table().columns() +
                                " FROM wp_ratingd_balances");
    while (row.next()) others.push_back(rollups::aggregate_in(row).key);
    std::erase_if(others, [&](const rollups::Aggregate::Key& key) {
      const std::string begin = key.object.type + " " + std::to_string(key.object.id) + " ";
      return std::ranges::any_of(sums_of_03, [&](const std::string& sums) {
        return sums.starts_with(begin) && sums.find(" " + key.source + " ") != std::string::npos;
      });
    });
    transfer::RatingRemoval(owner_).remove_aggregates(others);
    ASSERT_EQ(aggregates(), sums_of_03);
    expect_verified();
  }
  // Expects that a new import adds only the votes that version 0.3 did not count.
  void expect_completed(const Plugin& plugin, const Lines& sums_of_03) {
    import(plugin);
    const Lines whole = everything();
    become_03(sums_of_03);
    const PluginReport report = import(plugin);
    EXPECT_EQ(report.ratings, transfer::MergeCounts{.kept = all(report.ratings)}) << plugin.name;
    EXPECT_EQ(report.taken_back, 0) << plugin.name;
    EXPECT_EQ(report.withdrawn, 0) << plugin.name;
    EXPECT_EQ(everything(), whole) << plugin.name;
    expect_verified();
    import(plugin);
    EXPECT_EQ(everything(), whole) << plugin.name;
  }
};

TEST_F(ImportsOf03, OfWpPostRatingsAreCompleted) {
  load_with_privileges(imports::wp_postratings::kPlugin);
  expect_completed(imports::wp_postratings::kPlugin,
                   {"post 1 scale 2025-01-01 wp-postratings 2800: 2 x 6, 2 x 8"});
}

TEST_F(ImportsOf03, OfYasrAreCompleted) {
  load_with_privileges(imports::yasr::kPlugin);
  expect_completed(imports::yasr::kPlugin, {"post 1 scale 2025-01-01 yasr 8600: 7 x 8, 3 x 10"});
}

TEST_F(ImportsOf03, OfKkStarRatingsStay) {
  load_with_privileges(imports::kk_star_ratings::kPlugin);
  expect_completed(imports::kk_star_ratings::kPlugin,
                   {"post 1 scale 2025-01-01 kk-star-ratings 2800: 2 x 6, 2 x 8",
                    "post 2 scale 2025-02-02 kk-star-ratings 1667: 1 x 4, 2 x 6"});
}

TEST_F(ImportsOf03, OfVisitorsWithOneAddressAreCompleted) {
  make_tables(imports::wp_postratings::kPlugin);
  for (const int stars : {5, 5, 5, 5, 4, 4, 4, 4, 3, 3}) postrating(1, stars, "10.0.0.1");
  set_meta(1, "ratings_users", "10");
  set_meta(1, "ratings_score", "42");
  expect_completed(imports::wp_postratings::kPlugin, {});
  EXPECT_EQ(shown(1), "10 x 4.20");
}

}  // namespace
