// Tests repeated imports (lib/imports/plugin_import.h) after ratings were merged or deleted in
// ratingd, or after the plugin has copied its votes to another table.

#include <gtest/gtest.h>

#include "support/plugin_situation.h"
#include "transfer/merge_objects.h"

namespace {

using support::kTime;
using support::Lines;

constexpr const imports::Plugin& kUlike = imports::wp_ulike::kPlugin;

class ImportsAfterChanges : public support::PluginSituation {
 protected:
  void merge(std::uint64_t from, std::uint64_t into) {
    const transfer::ObjectPair pair{{from, "post"}, {into, "post"}};
    transfer::merge_objects(owner_, {&pair, 1}, [](std::uint64_t) {});
  }
  void clean(const transfer::Selection& selection) {
    transfer::clean(owner_, transfer::CleanScope::ratings, selection, [](std::uint64_t) {});
  }
  // Copies the likes of posts to WP ULike's new table, and drops the old table.
  void move_likes() {
    owner_.execute(
        "INSERT INTO wp_ulike_pulse (item_id, item_type, user_id, engagement_kind, engagement_key,"
        " status, date_time, ip) SELECT post_id, 'post', user_id, 'vote', status, 'active',"
        " date_time, ip FROM wp_ulike ORDER BY id DESC");
    owner_.execute("DROP TABLE wp_ulike");
  }
  void set_likes(int likes) {
    owner_.execute("DELETE FROM wp_ulike_meta");
    owner_.execute(
        "INSERT INTO wp_ulike_meta (item_id, meta_group, meta_key, meta_value)"
        " VALUES (1, 'post', 'count_distinct_like', ?)",
        std::to_string(likes));
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

TEST_F(ImportsAfterChanges, ErasedLikeStaysAwayIfWpUlikeMovesItToAnotherTable) {
  make_tables(kUlike);
  ulike("7");
  ulike("8");
  import(kUlike);
  const model::RatingKey key{{1, "post"}, model::Category::binary, 7};
  transfer::RatingRemoval(owner_).remove({&key, 1});
  move_likes();
  const PluginReport report = import(kUlike);
  EXPECT_EQ(report.withdrawn, 1);
  EXPECT_EQ(report.ratings, transfer::MergeCounts{.kept = 1});
  EXPECT_EQ(shown(1, 1), "1 x 1.00");
  owner_.execute("UPDATE wp_ulike_pulse SET date_time = '2026-02-01 12:00:00' WHERE user_id = '7'");
  EXPECT_EQ(import(kUlike).ratings.added, 1U);
  EXPECT_EQ(shown(1, 1), "2 x 1.00");
  expect_verified();
}

TEST_F(ImportsAfterChanges, SumsFollowWpUlikeAfterItHasDroppedItsOldTables) {
  make_tables(kUlike);
  set_option("wp_ulike_dbVersion", "2.3");
  ulike("7");
  set_likes(4);
  import(kUlike);
  EXPECT_EQ(shown(1, 1), "4 x 1.00");
  move_likes();
  set_likes(6);
  EXPECT_EQ(import(kUlike).different, 0);
  EXPECT_EQ(shown(1, 1), "6 x 1.00");
  // If the new table loses votes, the sums stay.
  owner_.execute("DELETE FROM wp_ulike_pulse");
  set_likes(2);
  EXPECT_EQ(import(kUlike).differences.at(0).why, imports::kLostVotes);
  EXPECT_EQ(shown(1, 1), "6 x 1.00");
  expect_verified();
}

TEST_F(ImportsAfterChanges, AfterADeletionOfAnObjectAnImportAddsAllItsRatingsAgain) {
  make_tables(imports::yasr::kPlugin);
  for (const int user : {7, 8}) {
    yasr(1, "2026-01-09 12:00:00", "192.0.2.7", user);
    yasr(5, kTime, "192.0.2.7", user);
  }
  import(imports::yasr::kPlugin);
  const Lines all = everything();
  for (const transfer::Selection& selection :
       {transfer::Selection{.object_id = 1}, transfer::Selection{.object_type = "post"},
        transfer::Selection{.object_id = 1, .object_type = "post"}}) {
    clean(selection);
    EXPECT_EQ(rating_count(), 0);
    EXPECT_EQ(import(imports::yasr::kPlugin).withdrawn, 0);
    EXPECT_EQ(everything(), all);
  }
  expect_verified();
}

TEST_F(ImportsAfterChanges, AfterADeletionOfSomeRatingsAnImportDoesNotAddThemAgain) {
  make_tables(imports::yasr::kPlugin);
  yasr(5, kTime, "192.0.2.7", 7);
  import(imports::yasr::kPlugin);
  clean({.object_id = 2});
  clean({.object_type = "page"});
  clean({.object_id = 1, .voter = 7});
  EXPECT_EQ(import(imports::yasr::kPlugin).withdrawn, 1);
  import(imports::yasr::kPlugin);
  clean({.object_id = 1, .before = now_});
  import(imports::yasr::kPlugin);
  EXPECT_EQ(rating_count(), 0);
}

}  // namespace
