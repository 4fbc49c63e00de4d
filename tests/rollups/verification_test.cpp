#include "rollups/verification.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "rollups/differences.h"
#include "support/voting.h"

namespace {

using support::at;
using support::kNoon;
using support::on;
using support::vote;
using namespace std::chrono_literals;

constexpr model::VoterId kUser = 7;
constexpr model::VoterId kVisitor = model::kAnonymousBit | 1;

class Verification : public support::Voting {
 protected:
  void SetUp() override {
    for (const votes::VoteRequest& vote_request :
         {vote(kUser, 1000), at(kNoon - 48h, on(2, vote(kUser, 0))), on(3, vote(kVisitor, 1000)),
          vote(kVisitor, 800, model::Category::scale)}) {
      ASSERT_TRUE(writer_.write(vote_request));
    }
    ASSERT_EQ(differing(), Names());
  }

  using Names = std::multiset<std::string>;
  Names differing() {
    Names names;
    for (const auto& mismatch : rollups::find_mismatches(connection_)) {
      names.insert(mismatch.rollup + ": " + mismatch.row);
    }
    return names;
  }
  Names after(const std::string& change) {
    connection_.execute(change);
    return differing();
  }

  db::Connection connection_{database_.endpoint()};
};

TEST_F(Verification, FindsEachWrongSumAndItsRow) {
  EXPECT_EQ(after("UPDATE wp_ratingd_totals SET bin10 = 2 WHERE object_id = 3"),
            (Names{"totals: 3 post binary"}));
  EXPECT_EQ(after("UPDATE wp_ratingd_totals SET bin10 = 1 WHERE object_id = 3"), Names());
  EXPECT_EQ(after("UPDATE wp_ratingd_totals SET last_rated_at = '2026-11-21 13:00:00'"
                  " WHERE object_id = 3"),
            (Names{"totals.last_rated_at: 3 post binary"}));
  EXPECT_EQ(after("UPDATE wp_ratingd_daily SET positive = 0 WHERE object_id = 3"),
            (Names{"totals.last_rated_at: 3 post binary", "daily: binary 2026-11-21 post 3"}));
}

TEST_F(Verification, FindsWrongSumsOfTheSiteAndOfUsers) {
  EXPECT_EQ(after("UPDATE wp_ratingd_site_daily SET bin8 = 0, bin9 = 1 WHERE category = 2"),
            (Names{"site_daily: 2026-11-21 scale post"}));
  EXPECT_EQ(after("UPDATE wp_ratingd_users SET total = total + 1"),
            (Names{"site_daily: 2026-11-21 scale post", "users: 7 binary"}));
  EXPECT_EQ(after("UPDATE wp_ratingd_user_daily SET sum = 5 WHERE day = '2026-11-19'"),
            (Names{"site_daily: 2026-11-21 scale post", "user_daily: 2026-11-19 7 binary post",
                   "users: 7 binary"}));
}

TEST_F(Verification, FindsWrongDaysOfVoters) {
  EXPECT_EQ(after("UPDATE wp_ratingd_reach SET voters = voters + 1 WHERE day = '2026-11-21'"),
            (Names{"reach: 2026-11-21"}));
  EXPECT_EQ(after("UPDATE wp_ratingd_reach SET voters = voters - 1 WHERE day = '2026-11-21'"),
            Names());
  const Names names = after("UPDATE wp_ratingd_voters SET last_day = '2026-11-20' WHERE voter = 7");
  EXPECT_EQ(names.count("voters: 7 binary 2026-11-21"), 1U);
  EXPECT_EQ(after("DELETE FROM wp_ratingd_voters WHERE voter > 7")
                .count("voters: 9223372036854775809 scale 2026-11-21"),
            1U);
}

TEST_F(Verification, FindsRowsOnOneSideOnly) {
  EXPECT_EQ(
      after("DELETE FROM wp_ratingd_votes WHERE object_id = 2"),
      (Names{"daily: binary 2026-11-19 post 2", "site_daily: 2026-11-19 binary post",
             "totals: 2 post binary", "user_daily: 2026-11-19 7 binary post", "users: 7 binary"}));
  connection_.execute("DELETE FROM wp_ratingd_daily WHERE object_id = 2");
  connection_.execute("DELETE FROM wp_ratingd_totals WHERE object_id = 2");
  EXPECT_EQ(
      after("DELETE FROM wp_ratingd_totals WHERE object_id = 3").count("totals: 3 post binary"),
      1U);
}

// The verification must not mistake a row with the greatest possible id for the end of a table or
// for the end of a range of users.
TEST_F(Verification, GreatestIdsHaveSumsLikeOthers) {
  constexpr model::VoterId kGreatestUser = model::kAnonymousBit - 1;
  constexpr model::VoterId kGreatestVisitor = ~model::VoterId{0};
  for (const model::VoterId voter : {kUser, kVisitor, kGreatestUser, kGreatestVisitor}) {
    ASSERT_TRUE(writer_.write(on(model::kMaxObjectId, vote(voter, 1000))));
  }
  EXPECT_EQ(differing(), Names());
  EXPECT_EQ(after("UPDATE wp_ratingd_totals SET bin10 = 2 WHERE object_id = 9223372036854775807"),
            (Names{"totals: 9223372036854775807 post binary"}));
  EXPECT_EQ(after("DELETE FROM wp_ratingd_totals WHERE object_id = 9223372036854775807"),
            (Names{"totals: 9223372036854775807 post binary"}));
  EXPECT_EQ(after("UPDATE wp_ratingd_users SET total = 5 WHERE user_id = 9223372036854775807")
                .count("users: 9223372036854775807 binary"),
            1U);
  EXPECT_EQ(after("UPDATE wp_ratingd_voters SET last_day = '2026-11-20'"
                  " WHERE voter = 18446744073709551615")
                .count("voters: 18446744073709551615 binary 2026-11-21"),
            1U);
}

TEST_F(Verification, GreatestObjectMayHaveAnAggregateAlone) {
  connection_.execute(
      "INSERT INTO wp_ratingd_balances VALUES (9223372036854775807, 'post', 0, '2026-11-20', "
      "'fold',"
      " 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, '2026-11-20 12:00:00')");
  EXPECT_EQ(differing(), (Names{"daily: binary 2026-11-20 post 9223372036854775807",
                                "site_daily: 2026-11-20 binary post",
                                "totals: 9223372036854775807 post binary"}));
}

// The version of an object must never decrease, so the object's row remains after its last vote is
// deleted.
TEST_F(Verification, RowsOfZerosMatchNoVotes) {
  for (const std::uint64_t object : {std::uint64_t{3}, model::kMaxObjectId}) {
    ASSERT_TRUE(writer_.write(on(object, vote(kVisitor, 1000))));
    ASSERT_TRUE(writer_.write(on(object, support::withdrawal(kVisitor))));
  }
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_totals WHERE bin10 = 0 AND version > 0"
                   " AND object_id IN (3, 9223372036854775807)"),
            2);
  EXPECT_EQ(differing(), Names());
}

// The verification needs several pages to read the votes table, the objects table, and the votes
// for some of the objects.
TEST_F(Verification, ReadsAllPages) {
  connection_.execute(
      "INSERT INTO wp_ratingd_votes (object_id, object_type, category, voter, value, created_at,"
      " rated_at) WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE"
      " n < 900) SELECT 100 + (a.n * b.n) % 5 * (b.n % 50), 'page', 0, 1000000 + 900 * a.n + b.n,"
      " 1000, '2026-11-20 12:00:00', '2026-11-20 12:00:00' FROM numbers a, numbers b"
      " WHERE a.n <= 60");
  std::int64_t votes = 0;
  const auto mismatches =
      rollups::find_mismatches(connection_, [&](std::int64_t done, std::int64_t all) {
        EXPECT_LE(done, all);
        votes = done;
      });
  EXPECT_GT(votes, 0);
  std::set<std::string> objects;
  for (const auto& mismatch : mismatches) {
    if (mismatch.rollup == "totals") objects.insert(mismatch.row);
  }
  EXPECT_EQ(static_cast<std::int64_t>(objects.size()),
            number("SELECT COUNT(DISTINCT object_id) FROM wp_ratingd_votes WHERE object_type ="
                   " 'page'"));
}

TEST_F(Verification, VotesMayArriveMeanwhile) {
  std::atomic<bool> is_over = false;
  std::thread voting([&] {
    for (unsigned i = 0; !is_over; ++i) {
      EXPECT_TRUE(writer_.write(at(kNoon + i * 1min, on(i % 5, vote(i % 9 + 1, i % 2 * 1000)))));
    }
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(differing(), Names());
  is_over = true;
  voting.join();
}

using Key = rollups::Checksum::Key;

TEST(Checksum, IsZeroIfSumsAreEqualInAnyOrderAndInParts) {
  rollups::Checksum sums;
  sums.count(Key(1).add(5).add("post"), {1, 300});
  sums.count(Key(1).add(6).add("post"), {2, -700});
  sums.count(Key(1).add(6).add("post"), {-1, 700});
  EXPECT_FALSE(sums.is_zero());
  sums.count(Key(1).add(6).add("post"), {-1, 0});
  sums.count(Key(1).add(5).add("post"), {-1, -300});
  EXPECT_TRUE(sums.is_zero());
}

TEST(Checksum, TellsKeysAndSumsApart) {
  const auto difference = [](const Key& one, const Key& other, std::int64_t first,
                             std::int64_t second) {
    rollups::Checksum sums;
    sums.count(one, {first, second});
    sums.count(other, {-1, -2});
    return !sums.is_zero();
  };
  const Key key = Key(1).add(5).add("post");
  EXPECT_FALSE(difference(key, key, 1, 2));
  EXPECT_TRUE(difference(key, key, 2, 1));
  EXPECT_TRUE(difference(key, Key(2).add(5).add("post"), 1, 2));
  EXPECT_TRUE(difference(key, Key(1).add(6).add("post"), 1, 2));
  EXPECT_TRUE(difference(key, Key(1).add("post").add(5), 1, 2));
}

}  // namespace
