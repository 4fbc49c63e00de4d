#include "transfer/clean.h"

#include <thread>

#include "rollups/repair.h"
#include "support/voting.h"
#include "support/wordpress_cms.h"

namespace {

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
  cast(8, "post", 2);
  EXPECT_EQ(find(), (std::vector<transfer::Orphan>{{{8, "post"}, 2}}));
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

}  // namespace
