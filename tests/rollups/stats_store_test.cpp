#include "rollups/stats_store.h"

#include <gtest/gtest.h>

#include "support/voting.h"

namespace {

using namespace std::chrono_literals;
using model::Object;
using model::Stats;
using support::kPost;
using support::vote;
using support::withdrawal;

db::Endpoint nowhere() {
  db::Endpoint endpoint;
  endpoint.server.socket = "/nonexistent/socket";
  return endpoint;
}

votes::VoteRequest on(const Object& object, votes::VoteRequest vote_request) {
  vote_request.key.object = object;
  return vote_request;
}

class StatsStore : public support::Voting {
 protected:
  void cast(const votes::VoteRequest& vote_request) { ASSERT_TRUE(writer_.write(vote_request)); }
  Stats read(const Object& object) { return stats_.read(sessions_, {&object, 1}).front(); }
  Stats read_without_database(const Object& object) {
    return stats_.read(no_sessions_, {&object, 1}).front();
  }

  db::Pool sessions_{database_.endpoint(), 1};
  db::Pool no_sessions_{nowhere(), 1};
};

TEST_F(StatsStore, SecondReadingNeedsNoDatabase) {
  EXPECT_THROW(read_without_database(kPost), db::ConnectionLost);
  EXPECT_EQ(read(kPost), Stats());
  EXPECT_EQ(read_without_database(kPost), Stats());
}

TEST_F(StatsStore, AllNumbersComeBackFromTheCache) {
  cast(vote(1, 1000));
  cast(vote(2, 0));
  cast(vote(1, -1000, model::Category::bipolar));
  cast(vote(2, 0, model::Category::bipolar));
  cast(vote(3, 1000, model::Category::bipolar));
  for (model::VoterId tenths = 0; tenths <= 10; ++tenths) {
    for (model::VoterId i = 0; i <= tenths; ++i) {
      cast(vote(100 * tenths + i + 10, static_cast<model::Thousandths>(tenths) * 100,
                model::Category::scale));
    }
  }
  EXPECT_EQ(read_without_database(kPost), stored_stats());
}

TEST_F(StatsStore, VoteAndWithdrawalAreSeenAtOnce) {
  EXPECT_EQ(read(kPost)[0].total(), 0);
  cast(vote(1, 1000));
  EXPECT_EQ(read_without_database(kPost)[0].total(), 1);
  cast(withdrawal(1));
  EXPECT_EQ(read_without_database(kPost)[0].total(), 0);
}

TEST_F(StatsStore, ChangesBesideTheWritersAreSeenAfterTheTtl) {
  cast(vote(1, 1000));
  db::Connection(database_.owner()).execute("DELETE FROM wp_ratingd_totals");
  EXPECT_EQ(read(kPost)[0].total(), 1);
  memory_.clock().advance(support::CacheMemory::kTtl);
  EXPECT_EQ(read(kPost)[0].total(), 0);
}

TEST_F(StatsStore, ForgottenObjectsAreReadAnew) {
  const Object page{42, "page"};
  cast(vote(1, 1000));
  cast(on(page, vote(1, 1000)));
  db::Connection(database_.owner()).execute("DELETE FROM wp_ratingd_totals");
  stats_.invalidate({&page, 1});
  EXPECT_EQ(read(page)[0].total(), 0);
  stats_.invalidate_all();
  EXPECT_EQ(read(kPost)[0].total(), 0);
}

TEST_F(StatsStore, ReadsSeveralInTheirOrder) {
  const std::vector<Object> objects = {{7, "post"}, kPost, {5, "page"}};
  cast(on(objects[2], vote(1, 1000)));
  cast(vote(2, 1000));
  cast(vote(3, 1000));
  stats_.invalidate({&objects[2], 1});
  const auto stats = stats_.read(sessions_, objects);
  ASSERT_EQ(stats.size(), 3U);
  EXPECT_EQ(stats[0][0].total(), 0);
  EXPECT_EQ(stats[1][0].total(), 2);
  EXPECT_EQ(stats[2][0].total(), 1);
}

TEST_F(StatsStore, TypeOfAnIdIsFoundAgainAfterAVoteOnAnotherType) {
  const auto never = []() -> std::string { throw support::Interruption(); };
  EXPECT_EQ(stats_.type_of_id(42, [] { return "comment"; }), "comment");
  EXPECT_EQ(stats_.type_of_id(42, never), "comment");
  cast(vote(1, 1000));
  EXPECT_EQ(stats_.type_of_id(42, never), "comment");
  cast(on({42, "page"}, vote(1, 1000)));
  EXPECT_EQ(stats_.type_of_id(42, [] { return "post"; }), "post");
  EXPECT_EQ(stats_.type_of_id(42, never), "post");
}

}  // namespace
