#include "analytics/user_analytics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analytics/calendar.h"
#include "analytics/materialized_lists.h"
#include "analytics/range_lists.h"
#include "analytics/rating_filter.h"
#include "base/timestamp.h"
#include "support/voting.h"

namespace {

using analytics::UserOrder;
using analytics::UserSums;
using model::Category;

const base::Day kFirst = base::Day(std::chrono::year(2026) / 1 / 1);
constexpr int kDays = 60;  // and one day in the future
constexpr int kUsers = 90;
const analytics::DayRange kAllDays{kFirst, kFirst + std::chrono::days(kDays - 1)};
const base::Time kAsOf = base::Time(kAllDays.last) + std::chrono::hours(12);
constexpr const char* kZone = "Europe/Berlin";

// A row in the rollups for one user and one day.
struct Row {
  base::Day day;
  std::uint64_t user_id;
  Category category;
  std::string type;
  std::int64_t total, sum;
};

struct Question {
  analytics::RatingFilter filter;
  analytics::UserComesBefore order;
  std::int64_t offset, limit;
};

std::string text_of(const UserSums& user) {
  std::string text = std::to_string(user.user_id);
  for (const analytics::Sums& one : user.by_category) {
    text += " " + std::to_string(one.total) + "/" + std::to_string(one.sum);
  }
  return text + " " + base::to_datetime(user.first_rated_at) + " " +
         base::to_datetime(user.last_rated_at);
}

// Adds random ratings to the rollups: ratings of posts on all days, and ratings of pages on three
// days. The votes table is empty.
class UserAnalytics : public support::Voting {
 protected:
  void SetUp() override {
    for (int i = 0; i < 1500; ++i) add_row();
    std::map<std::pair<std::uint64_t, Category>, std::pair<std::int64_t, std::int64_t>> totals;
    for (const Row& row : rows_) {
      const std::string category = std::to_string(static_cast<int>(row.category));
      const std::string total = std::to_string(row.total);
      const std::string day = "'" + base::to_date(row.day) + "'";
      connection_.execute("INSERT INTO wp_ratingd_user_daily VALUES (" + day + ", " +
                          std::to_string(row.user_id) + ", " + category + ", '" + row.type + "', " +
                          total + ", " + std::to_string(row.sum) + ")");
      connection_.execute(
          "INSERT INTO wp_ratingd_site_daily (object_type, category, day, slot, sum, bin0, bin1,"
          " bin2, bin3, bin4, bin5, bin6, bin7, bin8, bin9, bin10) VALUES ('" +
          row.type + "', " + category + ", " + day + ", 0, 0, 0, 0, 0, 0, 0, " + total +
          ", 0, 0, 0, 0, 0) ON DUPLICATE KEY UPDATE bin5 = bin5 + " + total);
      auto& [of_user, sum] = totals[{row.user_id, row.category}];
      of_user += row.total;
      sum += row.sum;
    }
    for (const auto& [key, sums] : totals) {
      // The timestamps have only a few different values, so some timestamps are equal.
      const base::Time first = base::Time(kFirst) + std::chrono::hours(random(9));
      const base::Time last = base::Time(kFirst) + std::chrono::days(40 + random(9));
      connection_.execute("INSERT INTO wp_ratingd_users VALUES (" + std::to_string(key.first) +
                          ", " + std::to_string(static_cast<int>(key.second)) + ", " +
                          std::to_string(sums.first) + ", " + std::to_string(sums.second) + ", '" +
                          base::to_datetime(first) + "', '" + base::to_datetime(last) + "')");
      auto& times = times_.try_emplace(key.first, first, last).first->second;
      times = {std::min(times.first, first), std::max(times.second, last)};
    }
  }

  int random(int below) { return std::uniform_int_distribution<int>(0, below - 1)(engine_); }

  void add_row() {
    const int day = random(kDays + 1);
    const bool is_page = day >= 20 && day < 23 && random(2) == 0;
    Row row{kFirst + std::chrono::days(day),
            static_cast<std::uint64_t>(random(kUsers) * 7919 + 1),
            model::kCategories.at(static_cast<std::size_t>(random(3))),
            is_page ? "page" : "post",
            std::int64_t{30} * random(4),
            0};
    row.sum = row.total * (1000 - random(2000));
    const auto is_same = [&](const Row& other) {
      return std::tie(other.day, other.user_id, other.category, other.type) ==
             std::tie(row.day, row.user_id, row.category, row.type);
    };
    if (std::ranges::none_of(rows_, is_same)) rows_.push_back(row);
  }

  Question ask() {
    Question question{};
    analytics::RatingFilter& filter = question.filter;
    const int first = random(3) == 0 ? random(kDays) : random(25);
    const int last = random(3) == 0 ? first + random(kDays - first) : kDays - 1 - random(5);
    filter.days = {kFirst + std::chrono::days(first),
                   kFirst + std::chrono::days(std::max(first, last))};
    if (random(6) == 0) {
      filter.days = {kFirst, kFirst + std::chrono::days(kDays - 1)};
      filter.is_all = true;
    }
    if (random(5) > 0) filter.other_days = kDays + 1 - filter.days.length();
    if (random(2) == 0) filter.category = model::kCategories.at(std::size_t(random(3)));
    if (random(2) == 0) filter.object_type = random(3) > 0 ? "post" : "page";
    question.order = {UserOrder{random(4)}, random(2) == 0};
    question.offset = random(2) == 0 ? 0 : random(kUsers + 10);
    question.limit = 1 + random(30);
    return question;
  }

  static Question of_all_days() {
    Question question{};
    question.filter.days = kAllDays;
    question.limit = 20;
    return question;
  }

  // Counts the rows and returns each user's totals.
  std::vector<UserSums> count(const Question& question) const {
    const analytics::RatingFilter& filter = question.filter;
    std::map<std::uint64_t, UserSums> users;
    for (const Row& row : rows_) {
      if (!filter.days.contains(row.day)) continue;
      if (filter.category && *filter.category != row.category) continue;
      if (filter.object_type && *filter.object_type != row.type) continue;
      const auto& [first, last] = times_.at(row.user_id);
      UserSums& user =
          users.try_emplace(row.user_id, UserSums{row.user_id, {}, first, last}).first->second;
      analytics::Sums& sums = user.by_category.at(static_cast<std::size_t>(row.category));
      sums.total += row.total;
      sums.sum += row.sum;
    }
    std::vector<UserSums> list;
    for (const auto& [id, user] : users) {
      if (user.total() > 0) list.push_back(user);
    }
    std::ranges::sort(list, question.order);
    return list;
  }

  void expect_counted(const Question& question, const analytics::Slice<UserSums>& slice) const {
    const std::vector<UserSums> expected = count(question);
    EXPECT_EQ(slice.total, std::ssize(expected));
    const std::int64_t left = std::max<std::int64_t>(std::ssize(expected) - question.offset, 0);
    ASSERT_EQ(std::ssize(slice.items), std::min(left, question.limit));
    for (std::size_t place = 0; place < slice.items.size(); ++place) {
      EXPECT_EQ(text_of(slice.items[place]),
                text_of(expected[static_cast<std::size_t>(question.offset) + place]));
    }
  }

  void materialize(analytics::NamedPeriod period = analytics::NamedPeriod::all) {
    analytics::RatingFilter filter;
    filter.days = kAllDays;
    filter.is_all = period == analytics::NamedPeriod::all;
    analytics::replace_lists(connection_,
                             {.query = {period, kAllDays, kZone}, .as_of = kAsOf, .changes = ""},
                             analytics::build_materialized_lists(connection_, filter));
  }
  std::optional<analytics::Materialized<analytics::Slice<UserSums>>> materialized(
      const Question& question) {
    return analytics::list_materialized_users(connection_, kZone, question.filter, question.order,
                                              question.offset, question.limit);
  }

  db::Connection connection_{database_.endpoint()};
  std::vector<Row> rows_;
  std::map<std::uint64_t, std::pair<base::Time, base::Time>> times_;
  std::mt19937 engine_{11};  // NOLINT: the same each time
};

TEST_F(UserAnalytics, ListsOfSomeUsersHaveNoOthers) {
  analytics::RatingFilter filter;
  filter.days = kAllDays;
  filter.users = {{2, 7919 * 2 + 1, 7919 * 4 + 1}};  // no user has the id 2
  const auto slice = analytics::list_users(connection_, filter, {}, 0, 10);
  ASSERT_TRUE(slice);
  EXPECT_EQ(slice->total, 2);
  std::set<std::uint64_t> found;
  for (const UserSums& user : slice->items) found.insert(user.user_id);
  EXPECT_EQ(found, (std::set<std::uint64_t>{7919 * 2 + 1, 7919 * 4 + 1}));
}

TEST_F(UserAnalytics, ListsAreWhatCountingTheRowsGives) {
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const Question question = ask();
    const auto slice = analytics::list_users(connection_, question.filter, question.order,
                                             question.offset, question.limit);
    ASSERT_TRUE(slice);
    SCOPED_TRACE(i);
    expect_counted(question, *slice);
  }
}

TEST_F(UserAnalytics, MaterializedListsAreWhatCountingTheRowsGives) {
  materialize();
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const Question question = ask();
    const auto found = materialized(question);
    ASSERT_TRUE(found);
    SCOPED_TRACE(i);
    expect_counted(question, found->value);
  }
}

TEST_F(UserAnalytics, MaterializedListsStayAsTheyWere) {
  materialize();
  const Question question = of_all_days();
  connection_.execute("UPDATE wp_ratingd_user_daily SET total = total + 7");
  connection_.execute("UPDATE wp_ratingd_users SET total = total + 7, last_rated_at = NOW()");
  const auto found = materialized(question);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->as_of, kAsOf);
  expect_counted(question, found->value);
}

TEST_F(UserAnalytics, ListsOfAnotherZoneOrPeriodAreNotUsed) {
  const Question question = of_all_days();
  EXPECT_FALSE(materialized(question));
  materialize(analytics::NamedPeriod::this_year);
  EXPECT_FALSE(materialized(question));
  materialize();
  EXPECT_TRUE(materialized(question));
  EXPECT_FALSE(
      analytics::list_materialized_users(connection_, "Asia/Tokyo", question.filter, {}, 0, 20));
  analytics::invalidate_lists(connection_);
  EXPECT_FALSE(materialized(question));
}

// When version 0.2 materializes lists, it replaces all lists for the period, but does not create
// the lists that this test reads.
TEST_F(UserAnalytics, ListsOfAnotherVersionAreNotUsed) {
  materialize();
  connection_.execute("DELETE FROM wp_ratingd_kept_lists WHERE list > 10");
  EXPECT_FALSE(materialized(of_all_days()));
}

// Votes can have any object type, so the number of types is not limited.
TEST_F(UserAnalytics, ListsOfManyTypesAreNotMade) {
  for (std::size_t i = 0; i < analytics::kListTypes; ++i) {
    connection_.execute("INSERT INTO wp_ratingd_user_daily VALUES ('2026-01-05', 1, 0, 'type" +
                        std::to_string(i) + "', 1, 0)");
  }
  materialize();
  EXPECT_FALSE(materialized(of_all_days()));
}

}  // namespace
