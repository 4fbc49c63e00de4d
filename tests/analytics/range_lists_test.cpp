#include "analytics/range_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/timestamp.h"
#include "support/voting.h"

namespace {

using analytics::Sums;
using model::Category;
using Numbers = std::vector<std::int64_t>;

std::mt19937& engine() {
  static std::mt19937 engine{5};  // NOLINT: the same each time
  return engine;
}
int draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(engine()); }

// Returns a random number of ratings for each day. Some days have no ratings, and some days have
// many.
Numbers random_ratings(int days) {
  Numbers ratings(static_cast<std::size_t>(days));
  for (std::int64_t& of_day : ratings) {
    of_day = draw(3) == 0 ? 0 : draw(draw(20) == 0 ? 100'000 : 100);
  }
  return ratings;
}

std::int64_t between(const Numbers& ratings, std::int64_t begin, std::int64_t end) {
  return std::accumulate(ratings.begin() + begin, ratings.begin() + end, std::int64_t{0});
}

TEST(RangeParts, BoundariesDivideTheRatingsEqually) {
  for (int i = 0; i < 300; ++i) {
    const Numbers ratings = random_ratings(1 + draw(900));
    const Numbers boundaries = analytics::boundaries_of(ratings);
    ASSERT_LE(std::ssize(boundaries), 2 * analytics::kShares + 1);
    ASSERT_EQ(boundaries.back(), std::ssize(ratings));
    const std::int64_t share = between(ratings, 0, std::ssize(ratings)) / analytics::kShares;
    std::int64_t begin = 0;
    for (const std::int64_t end : boundaries) {
      ASSERT_LT(begin, end);
      const auto rated = std::count_if(ratings.begin() + begin, ratings.begin() + end,
                                       [](std::int64_t of_day) { return of_day > 0; });
      EXPECT_TRUE(rated <= 1 || between(ratings, begin, end) <= share) << begin << " " << end;
      begin = end;
    }
  }
}

TEST(RangeParts, AreTheDaysOfTheRangeAndFewMore) {
  for (int i = 0; i < 3000; ++i) {
    const Numbers ratings = random_ratings(1 + draw(400));
    const Numbers boundaries = analytics::boundaries_of(ratings);
    const int begin = draw(static_cast<int>(ratings.size()));
    const int end = begin + 1 + draw(static_cast<int>(ratings.size()) - begin);
    Numbers counted(ratings.size()), days_read(ratings.size());
    int read_boundaries = 0;
    for (const auto& parts : analytics::parts_of_range(begin, end, boundaries)) {
      ASSERT_LE(parts.first, parts.last);
      read_boundaries += parts.are_days ? 0 : 1;
      const auto place = static_cast<std::size_t>(parts.first);
      const auto first = static_cast<std::size_t>(parts.are_days ? parts.first : 0);
      const auto last =
          static_cast<std::size_t>(parts.are_days ? parts.last : boundaries.at(place) - 1);
      for (std::size_t day = first; day <= last; ++day) {
        counted.at(day) += parts.sign;
        days_read.at(day) += parts.are_days ? 1 : 0;
      }
    }
    EXPECT_LE(read_boundaries, 2);
    for (std::size_t day = 0; day < ratings.size(); ++day) {
      const bool is_in_range = begin <= static_cast<int>(day) && static_cast<int>(day) < end;
      ASSERT_EQ(counted[day], is_in_range ? 1 : 0) << day;
      ASSERT_LE(days_read[day], 1) << day;
    }
    std::int64_t longest = 0;
    for (std::size_t k = 0; k < boundaries.size(); ++k) {
      longest = std::max(longest, boundaries[k] - (k == 0 ? 0 : boundaries[k - 1]));
    }
    EXPECT_LE(between(days_read, 0, std::ssize(days_read)), longest);
  }
}

const base::Day kFirstDay = base::Day(std::chrono::year(2026) / 1 / 1);
constexpr int kListedDays = 120;
const analytics::DayRange kListed{kFirstDay, kFirstDay + std::chrono::days(kListedDays - 1)};
const base::Time kListedAt = base::Time(kListed.last) + std::chrono::hours(12);
constexpr const char* kZoneOfLists = "Europe/Berlin";

// Fills the rollups for objects with random numbers. The votes table is empty.
class RangeLists : public support::Voting {
 protected:
  void add_row(base::Day day, int id, Category category, const std::string& type, int total,
               const std::string& ids_from = "") {
    const bool has_signs = category != Category::scale;
    const int positive = has_signs ? draw(total + 1) : 0;
    const int negative = has_signs ? draw(total - positive + 1) : 0;
    const std::string kind = "'" + type + "', " + std::to_string(static_cast<int>(category)) +
                             ", '" + base::to_date(day) + "', ";
    const std::string sum = std::to_string(total * (draw(2000) - 1000)) + ", ";
    const std::string id_of_row = ids_from.empty() ? std::to_string(id) : "seq";
    connection_.execute(
        "REPLACE INTO wp_ratingd_daily (object_id, object_type, category, day, total, sum,"
        " positive, negative) SELECT " +
        id_of_row + ", " + kind + std::to_string(total) + ", " + sum + std::to_string(positive) +
        ", " + std::to_string(negative) + (ids_from.empty() ? "" : " FROM " + ids_from));
    connection_.execute(
        "INSERT INTO wp_ratingd_site_daily (object_type, category, day, slot, sum, bin0, bin1,"
        " bin2, bin3, bin4, bin5, bin6, bin7, bin8, bin9, bin10) VALUES (" +
        kind + "0, 0, 0, 0, 0, 0, 0, " + std::to_string(total) +
        ", 0, 0, 0, 0, 0) ON DUPLICATE KEY UPDATE bin5 = bin5 + VALUES(bin5)");
  }
  void add_rows(int count, const std::vector<std::string>& types) {
    for (int i = 0; i < count; ++i) {
      const int day = draw(5) == 0 ? 77 : draw(kListedDays + 1);  // many, or in the future
      add_row(kFirstDay + std::chrono::days(day), 1 + draw(300) * 7919,
              model::kCategories.at(static_cast<std::size_t>(draw(3))),
              types.at(static_cast<std::size_t>(draw(static_cast<int>(types.size())))), draw(90));
    }
  }

  analytics::RatingFilter ask() {
    analytics::RatingFilter filter;
    const int first = draw(kListedDays);
    const int last = first + draw(kListedDays - first);
    filter.days = {kFirstDay + std::chrono::days(first), kFirstDay + std::chrono::days(last)};
    if (draw(2) == 0) filter.category = model::kCategories.at(std::size_t(draw(3)));
    const char* types[] = {"post", "page", "nothing"};
    if (draw(2) == 0) filter.object_type = types[draw(3)];
    return filter;
  }

  void materialize() {
    analytics::RatingFilter filter;
    filter.days = kListed;
    filter.is_all = true;
    analytics::replace_lists(connection_,
                             {.query = {analytics::NamedPeriod::all, kListed, kZoneOfLists},
                              .as_of = kListedAt,
                              .changes = ""},
                             analytics::build_materialized_lists(connection_, filter));
  }
  auto materialized(const analytics::RatingFilter& filter) {
    return analytics::materialized_sums_of_objects(connection_, kZoneOfLists, filter);
  }

  using Counted = std::map<std::tuple<std::string, std::uint64_t, std::size_t>,
                           std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>>;
  static Counted counted(const analytics::SumsByTypeAndId& sums) {
    Counted counted;
    for (const auto& [type, of_type] : sums) {
      for (const auto& [id, by_category] : of_type) {
        for (std::size_t i = 0; i < by_category.size(); ++i) {
          const Sums& one = by_category[i];
          if (one == Sums()) continue;
          counted[{type, id, i}] = {one.total, one.sum, one.positive, one.negative};
        }
      }
    }
    return counted;
  }
  void expect_summed_up(const analytics::RatingFilter& filter) {
    const auto found = materialized(filter);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->as_of, kListedAt);
    const auto summed = analytics::sum_up_objects(connection_, filter, analytics::Signs::included,
                                                  std::chrono::hours(1));
    ASSERT_TRUE(summed);
    EXPECT_EQ(counted(found->value), counted(*summed));
  }

  db::Connection connection_{database_.endpoint()};
};

TEST_F(RangeLists, SumsAreThoseOfTheRows) {
  add_rows(2500, {"post", "post", "page", "post:taste"});
  materialize();
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    expect_summed_up(ask());
  }
}

TEST_F(RangeLists, AreReadInParts) {
  constexpr int kObjects = 1 << 17;
  add_row(kFirstDay + std::chrono::days(3), 1, Category::binary, "post", 53);
  for (int known = 1; known < kObjects; known *= 2) {
    connection_.execute(
        "INSERT INTO wp_ratingd_daily (object_id, object_type, category, day, total, sum, positive,"
        " negative) SELECT object_id + " +
        std::to_string(known) +
        ", object_type, category, day + INTERVAL object_id % 4 DAY, total + object_id % 3, sum,"
        " positive, negative FROM wp_ratingd_daily");
  }
  for (int day = 0; day < 80; ++day) {
    add_row(kFirstDay + std::chrono::days(day), 1, Category::binary, "post", 50);
  }
  materialize();
  EXPECT_GT(connection_
                .query("SELECT MAX(part) FROM wp_ratingd_kept_lists WHERE list = ?",
                       analytics::ListKind::object_ids)
                .number(),
            1);
  for (const int first : {0, 4, 51}) {
    analytics::RatingFilter filter;
    filter.days = {kFirstDay + std::chrono::days(first), kListed.last};
    expect_summed_up(filter);
  }
}

TEST_F(RangeLists, AreNotUsedForDaysLongAfterThem) {
  add_rows(200, {"post"});
  materialize();
  analytics::RatingFilter filter;
  filter.days = {kListed.last, kListed.last + std::chrono::days(1)};
  EXPECT_TRUE(materialized(filter));
  filter.days.last += std::chrono::days(1);
  EXPECT_FALSE(materialized(filter));
  filter.days = {kListed.last + std::chrono::days(1), kListed.last + std::chrono::days(1)};
  EXPECT_FALSE(materialized(filter));
}

TEST_F(RangeLists, OnlyPartsThatChangedAreWritten) {
  const auto writes_of_refresh = [&] {
    const auto writes = [&] {
      db::Rows row = connection_.query("SHOW SESSION STATUS LIKE 'Handler_update'");
      return row.next() ? row.integer(2) : -1;
    };
    const auto before = writes();
    materialize();
    return writes() - before;
  };
  const auto parts_of = [&](const std::string& type) {
    return connection_
        .query("SELECT COUNT(*) FROM wp_ratingd_kept_lists WHERE object_type = ?", type)
        .number();
  };
  add_rows(400, {"post", "page"});
  materialize();
  EXPECT_LE(writes_of_refresh(), 1) << "the state of the period";
  add_row(kListed.last, 7919, Category::scale, "post", 5);
  const auto written = writes_of_refresh();
  EXPECT_GT(written, 1);
  EXPECT_LT(written, parts_of("post") / 2);
  EXPECT_GT(parts_of("page"), 0);
  for (const char* const table : {"daily", "site_daily"}) {
    connection_.execute("DELETE FROM wp_ratingd_" + std::string(table) +
                        " WHERE object_type = 'page'");
  }
  materialize();
  EXPECT_EQ(parts_of("page"), 0);
  expect_summed_up(ask());
}

TEST_F(RangeLists, OfASiteWithoutRatingsAreEmpty) {
  materialize();
  const auto found = materialized(ask());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->value.empty());
}

// Votes can have any object type, so the number of types is not limited.
TEST_F(RangeLists, OfManyTypesAreNotMade) {
  std::vector<std::string> types;
  for (std::size_t i = 0; i <= analytics::kListTypes; ++i) {
    types.push_back("type" + std::to_string(i));
  }
  add_rows(200, types);
  materialize();
  EXPECT_FALSE(materialized(ask()));
}

// Simulates another version of ratingd that replaces all lists for the period but does not create
// the lists that this test reads.
TEST_F(RangeLists, OfAnotherVersionAreNotUsed) {
  add_rows(20, {"post"});
  materialize();
  connection_.execute("DELETE FROM wp_ratingd_kept_lists WHERE list > 13");
  EXPECT_FALSE(materialized(ask()));
}

}  // namespace
