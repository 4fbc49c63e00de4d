#include "analytics/rating_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analytics/rating_filter.h"
#include "support/voting.h"

namespace {

using model::Category;
using support::kNoon;
using support::kPost;
using support::vote;
using namespace std::chrono_literals;

const analytics::TimeSpan kDay{kNoon - 12h, kNoon + 12h};
constexpr int kMany = 3600;  // more than the list reads at once

class RatingLists : public support::Voting {
 protected:
  // Inserts kMany votes on a page, one per second, ending just before noon.
  void insert_votes(bool are_held) {
    connection_.execute(
        "INSERT INTO wp_ratingd_votes (object_id, object_type, category, voter, value, created_at,"
        " rated_at, held) WITH RECURSIVE sixty AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM sixty"
        " WHERE n < 59) SELECT 1, 'page', 0, 1000 + 60 * minutes.n + seconds.n, 1000,"
        " '2026-11-21 12:00:00', '2026-11-21 12:00:00' - INTERVAL 60 * minutes.n + seconds.n"
        " SECOND, " +
        std::string(are_held ? "1" : "0") + " FROM sixty AS minutes, sixty AS seconds");
  }
  std::int64_t lookups() {
    db::Rows row = connection_.query("SHOW SESSION STATUS LIKE 'Handler_read_key'");
    return row.next() ? std::stoll(row.text(2)) : 0;
  }
  std::int64_t bytes_sent() {
    db::Rows row = connection_.query("SHOW SESSION STATUS LIKE 'Bytes_sent'");
    return row.next() ? std::stoll(row.text(2)) : 0;
  }
  analytics::RecentRatings recent(const analytics::RatingFilter& filter,
                                  const std::optional<analytics::Cursor>& cursor = {},
                                  std::chrono::milliseconds time_limit = 0ms,
                                  std::int64_t limit = 2) {
    return analytics::recent_ratings(connection_, {&kDay, 1}, filter, cursor, limit, time_limit);
  }
  static analytics::RatingFilter of_posts() {
    analytics::RatingFilter filter;
    filter.object_type = "post";
    return filter;
  }
  // Reads the list to its end, part by part. Returns the number of parts.
  int parts_until(model::VoterId voter, const analytics::RatingFilter& filter) {
    auto part = recent(filter);
    int parts = 1;
    for (; part.ratings.empty() && part.rest && parts < kMany; ++parts) {
      part = recent(filter, part.rest);
    }
    EXPECT_EQ(part.ratings.size(), 1U);
    if (!part.ratings.empty()) {
      EXPECT_EQ(part.ratings.front().key.voter, voter);
    }
    EXPECT_FALSE(part.rest);
    return parts;
  }

  db::Connection connection_{database_.endpoint()};
};

// The votes use the object type "post" for an object whose type in the CMS is "page".
TEST_F(RatingLists, SumsOfUsersLeaveOutAnonymousVoters) {
  analytics::RatingFilter of_pages;
  of_pages.object_type = "page";
  of_pages.ids = "SELECT " + std::to_string(kPost.id);
  ASSERT_TRUE(writer_.write(support::vote(7, 1000)));
  ASSERT_TRUE(writer_.write(support::newcomer(8, 1000)));
  const auto sums = analytics::sums_of_users(connection_, kDay, of_pages);
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums.begin()->first, 7U);
  EXPECT_EQ(sums.begin()->second[0].total, 1);
}

TEST_F(RatingLists, SearchEndsAtTheTimeLimitWithACursor) {
  ASSERT_TRUE(writer_.write(support::at(kNoon - 2h, vote(7, 1000))));
  insert_votes(false);
  const auto part = recent(of_posts());
  EXPECT_TRUE(part.ratings.empty());
  ASSERT_TRUE(part.rest);
  EXPECT_GT(parts_until(7, of_posts()), 2);
  EXPECT_EQ(recent(of_posts(), {}, 1min).ratings.size(), 1U);
  EXPECT_FALSE(recent(of_posts(), {}, 1min).rest);
}

TEST_F(RatingLists, HeldVotesAreNotPassedWithoutEndEither) {
  ASSERT_TRUE(writer_.write(support::at(kNoon - 2h, vote(7, 1000))));
  insert_votes(true);
  EXPECT_TRUE(recent({}).ratings.empty());
  EXPECT_TRUE(recent({}).rest);
  EXPECT_GT(parts_until(7, {}), 2);
}

TEST_F(RatingLists, SearchThatEndsEarlyGivesWhatItHasFound) {
  ASSERT_TRUE(writer_.write(support::at(kNoon - 2h, vote(7, 1000))));
  ASSERT_TRUE(writer_.write(vote(8, 1000)));
  insert_votes(false);
  const auto part = recent(of_posts());
  ASSERT_EQ(part.ratings.size(), 1U);
  EXPECT_EQ(part.ratings.front().key.voter, 8U);
  EXPECT_TRUE(part.rest);
}

TEST_F(RatingLists, WhatDoesNotFitIsPassedInTheIndex) {
  insert_votes(false);
  const std::int64_t before = lookups();
  EXPECT_TRUE(recent(of_posts(), {}, 1min).ratings.empty());
  EXPECT_LT(lookups() - before, 100);
}

TEST_F(RatingLists, LastAggregatedIsThatOfTheDayAndKind) {
  const base::Day day = std::chrono::floor<std::chrono::days>(kNoon);
  const auto insert = [&](int id, const char* type, int category, const char* time) {
    std::string bins;
    for (std::size_t i = 0; i < model::Totals::kBins; ++i) bins += ", 1";
    connection_.execute("INSERT INTO wp_ratingd_balances VALUES (" + std::to_string(id) + ", '" +
                        type + "', " + std::to_string(category) + ", '2026-11-21', 'likes', 1000" +
                        bins + ", '2026-11-21 " + time + "')");
  };
  insert(1, "post", 0, "09:00:00");
  insert(2, "page", 0, "10:00:00");
  insert(3, "post", 1, "11:00:00");
  connection_.execute(
      "UPDATE wp_ratingd_balances SET last_rated_at = '1000-01-01' WHERE object_id = 3");
  analytics::RatingFilter filter = of_posts();
  filter.category = Category::binary;
  EXPECT_EQ(analytics::last_aggregated(connection_, day, filter), base::Time(day) + 9h);
  filter.object_type.reset();
  EXPECT_EQ(analytics::last_aggregated(connection_, day, filter), base::Time(day) + 10h);
  EXPECT_FALSE(analytics::last_aggregated(connection_, day + std::chrono::days(1), filter));
  filter.category = Category::bipolar;  // a row without ratings
  EXPECT_FALSE(analytics::last_aggregated(connection_, day, filter));
}

// The number of bytes that the database server sends does not depend on the page number.
TEST_F(RatingLists, OnlyThePageOfAnObjectIsSent) {
  insert_votes(false);
  const auto bytes_of_page = [&](std::int64_t offset) {
    const std::int64_t before = bytes_sent();
    EXPECT_EQ(analytics::ratings_of_object(connection_, {1, "page"}, kDay, model::kCategories,
                                           {offset, 10, false})
                  .size(),
              10U);
    return bytes_sent() - before;
  };
  bytes_of_page(0);  // prepares the statement
  const std::int64_t first = bytes_of_page(0);
  EXPECT_LT(bytes_of_page(3000), first + 100);
}

TEST_F(RatingLists, PagesOfAnObjectMakeTheWholeList) {
  for (int i = 0; i < 12; ++i) {
    for (const Category category : model::kCategories) {
      votes::VoteRequest vote_request =
          support::at(kNoon - (i / 2) * 1s, vote(static_cast<model::VoterId>(10 + i % 3), 1000));
      vote_request.key.voter = 100 + static_cast<model::VoterId>(i);
      vote_request.key.category = category;
      ASSERT_TRUE(writer_.write(vote_request));
    }
  }
  for (const bool oldest_first : {false, true}) {
    const auto part = [&](std::int64_t offset, std::int64_t limit) {
      return analytics::ratings_of_object(connection_, kPost, kDay, model::kCategories,
                                          {offset, limit, oldest_first});
    };
    const auto whole = part(0, 100);
    ASSERT_EQ(whole.size(), 36U);
    std::vector<model::Rating> pages;
    for (std::int64_t page = 0; page < 8; ++page) {
      for (const model::Rating& rating : part(5 * page, 5)) pages.push_back(rating);
    }
    EXPECT_EQ(pages, whole);
    EXPECT_TRUE(std::is_sorted(whole.begin(), whole.end(), [&](const auto& a, const auto& b) {
      return oldest_first ? a.rated_at < b.rated_at : b.rated_at < a.rated_at;
    }));
  }
}

}  // namespace
