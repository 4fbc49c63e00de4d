#include "transfer/clean.h"

#include <thread>

#include "rollups/repair.h"
#include "support/voting.h"
#include "support/wordpress_cms.h"

namespace {

using support::at;
using support::kNoon;
using support::on;
using support::vote;

class Orphans : public support::Voting {
 protected:
  Orphans() {
    db::Connection owner(database_.owner());
    owner.execute("SET SESSION sql_mode = ''");  // as in WordPress, whose columns have no defaults
    owner.execute(
        "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'post', 'publish'),"
        " (2, 'page', 'trash'), (3, 'Product', 'draft')");
    owner.execute("INSERT INTO wp_comments (comment_ID) VALUES (5)");
  }
  void cast(std::uint64_t id, const std::string& type, int votes) {
    std::vector<votes::VoteRequest> vote_requests;
    for (int i = 1; i <= votes; ++i) {
      vote_requests.push_back(vote(static_cast<model::VoterId>(i), i % 2 * 1000,
                                   static_cast<model::Category>(i % 2 * 2)));
      vote_requests.back().key.object = {id, type};
      vote_requests.back().received_at += i * std::chrono::hours(1);
    }
    for (const auto& vote_result : writer_.write_all(vote_requests)) ASSERT_TRUE(vote_result);
  }
  std::vector<transfer::Orphan> find(const model::FacetNames& facets = {}) {
    return transfer::find_orphans(connection_, support::wordpress_cms(), facets);
  }
  std::uint64_t remove(const model::Object& object) {
    return transfer::clean(connection_, transfer::CleanScope::ratings,
                           {.object_id = object.id, .object_type = object.type},
                           [](std::uint64_t) {})
        .ratings;
  }

  db::Connection connection_{database_.ratingctl()};
};

TEST_F(Orphans, AreWhatTheCmsHadAndHasNoMore) {
  cast(1, "post", 1);
  cast(2, "page", 1);
  cast(2, "post", 1);  // a page that a theme rates as a post
  cast(3, "product", 1);
  cast(5, "comment", 1);
  EXPECT_EQ(find(), std::vector<transfer::Orphan>{});
  cast(7, "comment", 1);
  cast(8, "post", 2);
  cast(9, "product", 3);
  EXPECT_EQ(find(), (std::vector<transfer::Orphan>{
                        {{7, "comment"}, 1}, {{8, "post"}, 2}, {{9, "product"}, 3}}));
}

TEST_F(Orphans, TermsAndAuthorsAreOnesWhenTheyAreDeleted) {
  db::Connection owner(database_.owner());
  owner.execute("SET SESSION sql_mode = ''");
  owner.execute("INSERT INTO wp_terms (term_id, name) VALUES (1, 'News')");
  owner.execute("INSERT INTO wp_users (ID, user_login) VALUES (1, 'writer')");
  for (const char* type : {"term", "author", "term:taste"}) {
    cast(1, type, 1);
    cast(2, type, 2);
  }
  EXPECT_EQ(find({"taste"}), (std::vector<transfer::Orphan>{
                                 {{2, "author"}, 2}, {{2, "term"}, 2}, {{2, "term:taste"}, 2}}));
}

TEST_F(Orphans, ObjectsOfTypesThatTheCmsDoesNotKnowAreNone) {
  cast(8, "user", 1);
  cast(8, "chapter:2", 1);
  EXPECT_EQ(find(), std::vector<transfer::Orphan>{});
}

TEST_F(Orphans, FacetsAreOnesIfTheObjectIs) {
  cast(1, "post:taste", 1);
  cast(8, "post:taste", 2);
  cast(8, "user:taste", 1);
  cast(8, "post:chapter:taste", 1);
  cast(9, "comment:taste", 1);
  EXPECT_EQ(find(), std::vector<transfer::Orphan>{});
  EXPECT_EQ(find({"taste"}),
            (std::vector<transfer::Orphan>{{{8, "post:taste"}, 2}, {{9, "comment:taste"}, 1}}));
}

TEST_F(Orphans, AreRemovedFromAllSumsAndNothingElseIs) {
  cast(1, "post", 30);
  cast(8, "post", 600);
  cast(8, "user", 10);
  EXPECT_EQ(remove({8, "post"}), 600U);
  EXPECT_EQ(find(), std::vector<transfer::Orphan>{});
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 40);
  EXPECT_EQ(remove({8, "post"}), 0U);
  expect_verified();
}

TEST_F(Orphans, HeldOnesAreRemovedToo) {
  connection_.execute(
      "INSERT INTO wp_ratingd_votes SET object_id = 8, object_type = 'post',"
      " category = 0, voter = 3, value = 0, held = 1, created_at = '2026-01-01',"
      " rated_at = '2026-01-01'");
  connection_.execute(
      "INSERT INTO wp_ratingd_held SET object_id = 8, object_type = 'post',"
      " category = 0, voter = 3, reasons = 1, held_at = '2026-01-01'");
  cast(8, "post", 2);
  EXPECT_EQ(find(), (std::vector<transfer::Orphan>{{{8, "post"}, 3}}));
  EXPECT_EQ(remove({8, "post"}), 3U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_held"), 0);
  expect_verified();
}

TEST_F(Orphans, RatingsKnownOnlyAsSumsAreRemovedToo) {
  connection_.execute(
      "INSERT INTO wp_ratingd_balances VALUES (8, 'post', 2, '2026-01-01', 'test',"
      " 7000, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, '2026-01-02')");
  rollups::Repair(connection_, support::kNoon).run([](std::int64_t, std::int64_t) {});
  EXPECT_EQ(find(), (std::vector<transfer::Orphan>{{{8, "post"}, 0, 1}}));
  cast(8, "post", 2);
  EXPECT_EQ(find(), (std::vector<transfer::Orphan>{{{8, "post"}, 2, 1}}));
  EXPECT_EQ(remove({8, "post"}), 2U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_balances"), 0);
  EXPECT_EQ(number("SELECT SUM(total) FROM wp_ratingd_daily"), 0);
  expect_verified();
}

TEST_F(Orphans, AreRemovedWhileOthersVoteForThem) {
  cast(8, "post", 500);
  std::thread voter([&] { cast(8, "post", 900); });
  while (remove({8, "post"}) > 0) {
  }
  voter.join();
  expect_verified();
  remove({8, "post"});
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 0);
  expect_verified();
}

class Period : public support::Voting {
 protected:
  Period() {
    for (int day = 0; day < 4; ++day) {
      const auto id = static_cast<std::uint64_t>(day + 1);
      EXPECT_TRUE(writer_.write(at(kNoon + day * kDay, on(id, vote(kVoter, 1000)))));
    }
  }
  transfer::CleanReport clean(const transfer::Selection& selection) {
    return transfer::clean(connection_, transfer::CleanScope::ratings, selection,
                           [](std::uint64_t) {});
  }

  static constexpr model::VoterId kVoter = 7;
  static constexpr std::chrono::hours kDay{24};
  db::Connection connection_{database_.ratingctl()};
};

TEST_F(Period, LimitsWhichRatingsAreDeleted) {
  EXPECT_EQ(clean({.since = kNoon + kDay, .before = kNoon + 3 * kDay}).ratings, 2U);
  EXPECT_EQ(number("SELECT SUM(object_id * object_id) FROM wp_ratingd_votes"), 1 + 16);
  expect_verified();
  EXPECT_EQ(clean({.object_id = 1, .since = kNoon + kDay}).ratings, 0U);
  EXPECT_EQ(clean({.since = kNoon + kDay}).ratings, 1U);
  expect_verified();
}

TEST_F(Period, LimitsWhichAggregatesAreDeleted) {
  connection_.execute(
      "INSERT INTO wp_ratingd_balances VALUES (8, 'post', 2, '2026-01-01', 'test',"
      " 7000, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, '2026-01-01')");
  rollups::Repair(connection_, kNoon).run([](std::int64_t, std::int64_t) {});
  EXPECT_EQ(clean({.object_id = 8, .since = kNoon}).aggregates, 0U);
  EXPECT_EQ(clean({.object_id = 8, .before = kNoon}).aggregates, 1U);
}

// The voter's limits depend on the day of the last rating, which the period may not contain.
TEST_F(Period, LeavesWhatIsStoredAboutAVoterWithoutRatings) {
  for (std::uint64_t id = 1; id <= 4; ++id) {
    EXPECT_TRUE(writer_.write(at(kNoon + 4 * kDay, on(id, support::withdrawal(kVoter)))));
  }
  ASSERT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 0);
  const auto voters = [&] { return number("SELECT COUNT(*) FROM wp_ratingd_voters"); };
  ASSERT_EQ(voters(), 1);
  clean({.voter = kVoter, .since = kNoon + 9 * kDay});
  EXPECT_EQ(voters(), 1);
  clean({.voter = kVoter});
  EXPECT_EQ(voters(), 0);
}

}  // namespace
