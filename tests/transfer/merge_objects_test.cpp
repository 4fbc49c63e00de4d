#include "transfer/merge_objects.h"

#include <thread>

#include "support/voting.h"
#include "transfer/rating_merge.h"
#include "transfer/retention.h"
#include "votes/held_store.h"

namespace {

using support::at;
using support::kNoon;
using support::on;
using support::vote;
using transfer::MergedObjects;
using transfer::ObjectPair;
using namespace std::chrono_literals;

TEST(PairsToMerge, AreReadFromLines) {
  EXPECT_EQ(transfer::parse_pairs("from,into\r\n12,10\r\n\r\n13,10", "post"),
            (std::vector<ObjectPair>{{{12, "post"}, {10, "post"}}, {{13, "post"}, {10, "post"}}}));
  EXPECT_EQ(transfer::parse_pairs("", "post"), std::vector<ObjectPair>());
  for (const char* text : {"\xEF\xBB\xBF"
                           "12,10\r\n",
                           "\xEF\xBB\xBF"
                           "from,into\n12,10\n"}) {
    EXPECT_EQ(transfer::parse_pairs(text, "post"),
              (std::vector<ObjectPair>{{{12, "post"}, {10, "post"}}}));
  }
}

TEST(PairsToMerge, ErrorsNameTheLine) {
  const auto error = [](std::string_view text) {
    return transfer::parse_pairs(text, "post").error();
  };
  EXPECT_EQ(error("1,2\nnext"), "line 2: the line must have two ids of objects, such as 12,10");
  EXPECT_EQ(error("0,2"), "line 1: the line must have two ids of objects, such as 12,10");
  EXPECT_EQ(error("1,2\n1,3"), "line 2: the first object is in an earlier line, too");
  for (const char* text : {"1,1", "1,2\n2,3", "2,3\n1,2"}) {
    EXPECT_TRUE(error(text).ends_with("an object cannot both receive and give away ratings"))
        << text;
  }
}

TEST(PairsToMerge, FacetsFollowTheirObject) {
  const std::vector<ObjectPair> posts = {{{12, "post"}, {10, "post"}}};
  EXPECT_EQ(transfer::with_facets(posts, {"taste", "love"}),
            (std::vector<ObjectPair>{posts[0],
                                     {{12, "post:taste"}, {10, "post:taste"}},
                                     {{12, "post:love"}, {10, "post:love"}}}));
  EXPECT_EQ(transfer::with_facets(posts, {}), posts);
  const std::vector<ObjectPair> facets = {{{12, "post:taste"}, {10, "post:taste"}}};
  EXPECT_EQ(transfer::with_facets(facets, {"taste", "love"}), facets);
  const std::string longest(64, 'x');
  const std::vector<ObjectPair> others = {{{12, longest}, {10, longest}}};
  EXPECT_EQ(transfer::with_facets(others, {"taste"}), others);
}

class MergeObjects : public support::Voting {
 protected:
  static constexpr std::uint64_t kTranslation = 12, kOriginal = 10;

  void cast(std::vector<votes::VoteRequest> requests) {
    for (const auto& result : writer_.write_all(std::move(requests))) ASSERT_TRUE(result);
  }
  MergedObjects preview() { return transfer::preview_merge(connection_, pairs_); }
  MergedObjects merge() {
    return transfer::merge_objects(connection_, pairs_, [](std::uint64_t) {});
  }
  rollups::Aggregate aggregate(std::uint64_t object, std::int64_t ones) {
    rollups::Aggregate aggregate{{{object, "post"}, model::Category::binary, {}, "plugin"}, {}};
    aggregate.key.day = base::Day(std::chrono::year(2026) / 1 / 1);
    aggregate.sums.sum = 1000 * ones;
    aggregate.sums.bins[10] = ones;
    aggregate.sums.last_rated_at = base::Time(aggregate.key.day);
    return aggregate;
  }

  void cast_and_hold(votes::VoteRequest request) {
    request.agent = 5;  // a vote without a user agent is never held
    cast({request});
    const votes::HeldStore store(caches_);
    EXPECT_EQ(store.hold(connection_, {{request.key, votes::kOneAgent}}, kNoon + 5h), 1U);
  }

  db::Connection connection_{database_.ratingctl()};
  const std::vector<ObjectPair> pairs_ = {{{kTranslation, "post"}, {kOriginal, "post"}}};
};

TEST_F(MergeObjects, TheLaterOfTwoRatingsOfAVoterStays) {
  cast({on(kTranslation, vote(1, 1000)), on(kOriginal, at(kNoon + 1h, vote(1, 0))),
        on(kOriginal, vote(2, 0)), on(kTranslation, at(kNoon + 1h, vote(2, 1000))),
        on(kTranslation, vote(3, 1000)), on(kTranslation, vote(3, 500, model::Category::scale))});
  const MergedObjects expected{.moved = 2, .newer = 1, .older = 1};
  EXPECT_EQ(preview(), expected);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id = 12"), 4);
  EXPECT_EQ(merge(), expected);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id = 12"), 0);
  EXPECT_EQ(number("SELECT GROUP_CONCAT(voter, ':', value ORDER BY voter, category)"
                   " = '1:0,2:1000,3:1000,3:500' FROM wp_ratingd_votes WHERE object_id = 10"),
            1);
  expect_verified();
  EXPECT_EQ(merge(), MergedObjects());
}

TEST_F(MergeObjects, PreviewsOfSeveralObjectsCountEachVoterOnce) {
  cast({on(kTranslation, vote(1, 1000)), on(13, at(kNoon + 1h, vote(1, 0))), on(13, vote(2, 1000)),
        on(kTranslation, vote(3, 1000)), on(14, vote(3, 0))});
  const std::vector<ObjectPair> pairs = {{{kTranslation, "post"}, {kOriginal, "post"}},
                                         {{13, "post"}, {kOriginal, "post"}},
                                         {{14, "post"}, {kOriginal, "post"}}};
  const MergedObjects expected{.moved = 3, .newer = 1, .older = 1};
  EXPECT_EQ(transfer::preview_merge(connection_, pairs), expected);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 5);
  EXPECT_EQ(transfer::merge_objects(connection_, pairs, [](std::uint64_t) {}), expected);
  expect_verified();
}

TEST_F(MergeObjects, OtherTypesAndObjectsKeepTheirRatings) {
  votes::VoteRequest of_comment = on(kTranslation, vote(1, 1000));
  of_comment.key.object.type = "comment";
  cast({of_comment, on(11, vote(1, 1000))});
  EXPECT_EQ(merge(), MergedObjects());
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 2);
}

TEST_F(MergeObjects, HeldRatingsStayHeld) {
  connection_.execute(
      "INSERT INTO wp_ratingd_votes SET object_id = 12, object_type = 'post', category = 0,"
      " voter = 3, value = 1000, held = 1, created_at = '2026-01-01', rated_at = '2026-01-01'");
  connection_.execute(
      "INSERT INTO wp_ratingd_held SET object_id = 12, object_type = 'post', category = 0,"
      " voter = 3, reasons = 1, held_at = '2026-01-02'");
  EXPECT_EQ(merge(), MergedObjects{.moved = 1});
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_held WHERE object_id = 10 AND reasons = 1"), 1);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_held"), 1);
  expect_verified();
}

TEST_F(MergeObjects, OnlyTheHoldOfTheLaterRatingDecides) {
  cast({on(kOriginal, vote(1, 1000)), on(kTranslation, at(kNoon + 48h, vote(2, 1000))),
        on(kTranslation, vote(3, 1000)), on(kTranslation, vote(4, 0)), on(1, vote(2, 0))});
  cast_and_hold(on(kTranslation, at(kNoon + 48h, vote(1, 0))));
  cast_and_hold(on(kOriginal, vote(2, 0)));
  cast_and_hold(on(kOriginal, at(kNoon + 48h, vote(3, 0))));
  cast_and_hold(on(kOriginal, at(kNoon - 48h, vote(4, 0))));
  const MergedObjects expected{.newer = 3, .older = 1};
  EXPECT_EQ(preview(), expected);
  EXPECT_EQ(merge(), expected);
  EXPECT_EQ(number("SELECT GROUP_CONCAT(voter, ':', value, ':', held ORDER BY voter)"
                   " = '1:0:1,2:1000:0,3:0:1,4:0:0' FROM wp_ratingd_votes WHERE object_id = 10"),
            1);
  EXPECT_EQ(number("SELECT GROUP_CONCAT(voter ORDER BY voter) = '1,3' FROM wp_ratingd_held"), 1);
  expect_verified();
}

TEST_F(MergeObjects, AggregatesAreAdded) {
  const std::vector<rollups::Aggregate> stored = {aggregate(kTranslation, 3),
                                                  aggregate(kOriginal, 4)};
  const transfer::RatingMerge rating_merge(connection_);
  rating_merge.merge_aggregates(stored, true);
  EXPECT_EQ(preview(), MergedObjects{.aggregates = 1});
  EXPECT_EQ(merge(), MergedObjects{.aggregates = 1});
  EXPECT_EQ(number("SELECT COUNT(*) * 100 + SUM(bin10) FROM wp_ratingd_balances"), 107);
  expect_verified();
  EXPECT_EQ(merge(), MergedObjects());
}

TEST_F(MergeObjects, RatingsOlderThanThoseThatWereRolledUpStay) {
  cast({on(1, vote(1, 1000)), on(kTranslation, at(kNoon + 2h, vote(1, 1000)))});
  transfer::Aggregation(connection_).aggregate(kNoon + 1h);
  connection_.execute(
      "INSERT INTO wp_ratingd_votes SET object_id = 12, object_type = 'post', category = 0,"
      " voter = 3, value = 0, held = 1, created_at = '2020-01-01', rated_at = '2020-01-01'");
  EXPECT_EQ(preview(), (MergedObjects{.moved = 1, .kept = 1}));
  EXPECT_EQ(merge(), (MergedObjects{.moved = 1, .kept = 1}));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id = 12"), 1);
}

TEST_F(MergeObjects, VotesMeanwhileAreNotLost) {
  std::vector<votes::VoteRequest> early, late;
  for (model::VoterId voter = 1; voter <= 400; ++voter) {
    early.push_back(on(kTranslation, vote(voter, 0)));
    late.push_back(on(kTranslation, at(kNoon + 1h, vote(voter, 1000))));
  }
  cast(early);
  std::thread voters([&] { cast(late); });
  merge();
  voters.join();
  merge();
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id = 10 AND value = 1000"),
            400);
  expect_verified();
}

}  // namespace
