#include "analytics/rating_lists.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/clock.h"
#include "base/text.h"
#include "rollups/rollup_changes.h"
#include "rollups/stats_store.h"
#include "store/rating_key_sql.h"

namespace analytics {
namespace {

using model::Category;
using model::Object;
using model::Rating;

std::string columns_in(std::string_view direction, const std::vector<std::string>& columns,
                       std::string_view table = "") {
  return base::joined(columns, ", ", [&](const std::string& column) {
    return std::string(table).append(column).append(direction);
  });
}

// Returns the columns by which lists are ordered. The "by_time" index has the same columns in the
// same order, because InnoDB appends the primary key.
const std::vector<std::string>& order() {
  static const std::vector<std::string> columns = {"rated_at", "object_id", "object_type",
                                                   "category", "voter"};
  return columns;
}

// The number of votes that one statement reads in a search for the newest ratings. The search
// starts with kFirstChunk votes and reads progressively larger chunks until it has found enough
// votes.
constexpr std::int64_t kFirstChunk = 256, kGrowth = 4, kLargestChunk = 50'000;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

constexpr const char* kOfVoter =
    " FORCE INDEX (by_voter) WHERE voter = ? AND rated_at >= ? AND rated_at < ? AND held = 0";

// Returns the position from which a list continues with ratings older than "time". The position has
// the object id 0, which is less than any object's id, so the list skips ratings whose timestamp is
// exactly "time".
Cursor before(base::Time time) { return {time, {0, "post"}, Category::binary, 0}; }

void append(std::vector<Rating>& ratings, std::vector<Rating> more) {
  std::move(more.begin(), more.end(), std::back_inserter(ratings));
}

constexpr std::string_view kSelectRatings =
    "SELECT object_id, object_type, category, voter, value, rated_at FROM {prefix}ratingd_votes";
// Selects votes by joining the "found" table, which contains their keys and timestamps.
constexpr std::string_view kSelectVotes =
    "SELECT vote.object_id, vote.object_type, vote.category, vote.voter, vote.value, vote.rated_at"
    " FROM ";
constexpr std::string_view kFoundVotes =
    " found FORCE INDEX (by_time)"
    " STRAIGHT_JOIN {prefix}ratingd_votes vote FORCE INDEX (PRIMARY)"
    " ON vote.object_id = found.object_id AND vote.object_type = found.object_type"
    " AND vote.category = found.category AND vote.voter = found.voter"
    " AND vote.rated_at = found.rated_at WHERE found.rated_at >= ? AND found.rated_at < ?";

std::string scanned(const RatingFilter& filter) {
  return filter.has_reason ? "{prefix}ratingd_reasons" : "{prefix}ratingd_votes";
}

std::string select_newest(const RatingFilter& filter) {
  return std::string(kSelectVotes).append(scanned(filter)).append(kFoundVotes);
}

// Returns the timestamp of the vote at position "votes" in the span. Positions are counted from the
// newest vote and include held votes. Returns the beginning of the span if the span contains fewer
// votes. Votes with equal timestamps are in the same chunk.
base::Time begin_of_chunk(db::Connection& connection, const TimeSpan& span,
                          const RatingFilter& filter, std::int64_t votes) {
  db::Rows row = connection.query("SELECT rated_at FROM " + scanned(filter) +
                                      " FORCE INDEX (by_time) WHERE rated_at >= ?"
                                      " AND rated_at < ? ORDER BY rated_at DESC LIMIT 1 OFFSET ?",
                                  span.begin, span.end, votes - 1);
  return row.next() ? row.time(1) : span.begin;
}

// The index contains all columns except "held" and "value", so only matching rows are looked up in
// the table.
std::vector<Rating> newest_ratings(db::Connection& connection, const TimeSpan& span,
                                   const RatingFilter& filter, std::int64_t limit) {
  return connection
      .query(select_newest(filter) + kind_condition(filter, "found.") +
                 " AND vote.held = 0 ORDER BY " + columns_in(" DESC", order(), "found.") +
                 " LIMIT ?",
             span.begin, span.end, filter, limit)
      .all(store::rating_in);
}

// Returns the ratings that have the same timestamp as the cursor but follow the cursor in the list.
std::vector<Rating> rest_of_moment(db::Connection& connection, const Cursor& cursor,
                                   const RatingFilter& filter, std::int64_t limit) {
  return connection
      .query(select_newest(filter) +
                 " AND (found.object_id, found.object_type, found.category) <= (?, ?, ?)" +
                 kind_condition(filter, "found.") + " AND vote.held = 0 ORDER BY " +
                 columns_in(" DESC", order(), "found.") + " LIMIT ? OFFSET ?",
             cursor.rated_at, cursor.rated_at + base::Time::duration(1), cursor.object.id,
             cursor.object.type, cursor.category, filter, limit, cursor.listed_at_this_time)
      .all(store::rating_in);
}

// Calls "use" for each rating, beginning with the newest rating.
void for_each_rating(db::Connection& connection, TimeSpan span, const RatingFilter& filter,
                     const std::function<void(const Rating&)>& use) {
  const base::Stopwatch stopwatch;
  while (span.begin < span.end) {
    if (stopwatch.elapsed() > kSumTimeLimit) throw TakesTooLong();
    const base::Time begin = begin_of_chunk(connection, span, filter, kLargestChunk);
    for (const Rating& rating : newest_ratings(connection, {begin, span.end}, filter, kNoLimit)) {
      use(rating);
    }
    span.end = begin;
  }
}

}  // namespace

RecentRatings recent_ratings(db::Connection& connection, std::span<const TimeSpan> spans,
                             const RatingFilter& filter, const std::optional<Cursor>& cursor,
                             std::int64_t limit, std::chrono::milliseconds time_limit) {
  const base::Stopwatch stopwatch;
  RecentRatings found;
  const auto missing = [&] { return limit - std::ssize(found.ratings); };
  std::int64_t chunk = kFirstChunk;
  bool is_late = false;
  for (TimeSpan span : spans) {
    if (missing() == 0) break;
    if (cursor) {
      if (cursor->rated_at < span.begin) continue;
      if (cursor->rated_at < span.end) {
        append(found.ratings, rest_of_moment(connection, *cursor, filter, missing()));
        span.end = cursor->rated_at;
      }
    }
    while (missing() > 0 && span.begin < span.end) {
      if (is_late) {
        found.rest = before(span.end);
        return found;
      }
      const base::Time begin = begin_of_chunk(connection, span, filter, chunk);
      append(found.ratings, newest_ratings(connection, {begin, span.end}, filter, missing()));
      span.end = begin;
      chunk = std::min(kGrowth * chunk, kLargestChunk);
      is_late = stopwatch.elapsed() >= time_limit;
    }
  }
  return found;
}

std::optional<base::Time> last_aggregated(db::Connection& connection, base::Day day,
                                          const RatingFilter& filter) {
  db::Rows row =
      connection.query("SELECT last_rated_at FROM {prefix}ratingd_balances WHERE day = ?" +
                           kind_condition(filter) + " ORDER BY last_rated_at DESC LIMIT 1",
                       day, filter);
  if (!row.next() || row.time(1) <= base::Time(rollups::kNeverActive))
    return std::nullopt;  // the aggregate is empty
  return row.time(1);
}

std::vector<Rating> ratings_of_voter(db::Connection& connection, model::VoterId voter,
                                     const TimeSpan& span, const RatingFilter& filter,
                                     RatingsPage page) {
  return connection
      .query(std::string(kSelectRatings) + kOfVoter + kind_condition(filter) + " ORDER BY " +
                 columns_in(page.oldest_first ? " ASC" : " DESC", order()) + " LIMIT ? OFFSET ?",
             voter, span.begin, span.end, filter, page.limit, page.offset)
      .all(store::rating_in);
}

// In the "by_object" index, the category precedes the time. The database server merges the sorted
// votes of several categories, and sends only the requested page.
std::vector<Rating> ratings_of_object(db::Connection& connection, const Object& object,
                                      const TimeSpan& span, std::span<const Category> categories,
                                      RatingsPage page) {
  const std::string direction = page.oldest_first ? " ASC" : " DESC";
  std::string text;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    text.append(i == 0 ? "(" : " UNION ALL (")
        .append(
            "SELECT category, voter, value, rated_at FROM {prefix}ratingd_votes"
            " FORCE INDEX (by_object) WHERE object_id = ? AND object_type = ? AND category = ?"
            " AND rated_at >= ? AND rated_at < ? AND held = 0");
    text += " ORDER BY " + columns_in(direction, {"rated_at", "voter"}) + " LIMIT ?)";
  }
  text += " ORDER BY " + columns_in(direction, {"rated_at", "category", "voter"});
  db::Statement& statement = connection.prepare(text + " LIMIT ? OFFSET ?");
  for (const Category category : categories) {
    statement.bind(object.id, object.type, category, span.begin, span.end,
                   std::int64_t{page.offset + page.limit});
  }
  return statement.bind(page.limit, page.offset).query().all([&](const db::Rows& row) {
    const auto [value, rated_at] = store::own_rating_in(row, 3);
    return Rating{
        {object, static_cast<Category>(row.integer(1)), row.unsigned_integer(2)}, value, rated_at};
  });
}

model::Totals totals_of_scale(db::Connection& connection, const TimeSpan& span,
                              RatingFilter filter) {
  filter.category = Category::scale;
  model::Totals totals;
  for_each_rating(connection, span, filter, [&](const Rating& rating) {
    totals.sum += rating.value;
    ++totals.bins[model::bin_of(Category::scale, rating.value)];
  });
  const std::string text = "SELECT " + rollups::aggregates_table().measure_columns() +
                           " FROM {prefix}ratingd_balances WHERE day BETWEEN ? AND ?" +
                           kind_condition(filter);
  const bool is_complete = in_slices(filter.days, kSumTimeLimit, [&](const DayRange& slice) {
    db::Rows row = connection.query(text, slice.first, slice.last, filter);
    while (row.next()) {
      totals.sum += row.integer(1);
      unsigned column = 2;
      for (std::int64_t& bin : totals.bins) bin += row.integer(column++);
    }
  });
  if (!is_complete) throw TakesTooLong();
  return totals;
}

SumsById sums_of_users(db::Connection& connection, const TimeSpan& span,
                       const RatingFilter& filter) {
  SumsById sums;
  for_each_rating(connection, span, filter, [&](const Rating& rating) {
    if (model::is_anonymous(rating.key.voter)) return;
    Sums& one = sums[rating.key.voter][static_cast<std::size_t>(rating.key.category)];
    ++one.total;
    one.sum += rating.value;
  });
  return sums;
}

SumsByCategory sums_of_voter(db::Connection& connection, model::VoterId voter, const TimeSpan& span,
                             const RatingFilter& filter) {
  db::Rows row =
      connection.query(std::string("SELECT category, COUNT(*), CAST(SUM(value) AS SIGNED)"
                                   " FROM {prefix}ratingd_votes") +
                           kOfVoter + kind_condition(filter) + " GROUP BY category",
                       voter, span.begin, span.end, filter);
  SumsByCategory sums{};
  while (row.next()) {
    Sums& one = sums[static_cast<std::size_t>(row.integer(1))];
    one.total = row.integer(2);
    one.sum = row.integer(3);
  }
  return sums;
}

std::int64_t count_aggregated(db::Connection& connection, const Object& object,
                              RatingFilter filter) {
  filter.object_type.reset();
  return connection
      .query(std::string("SELECT CAST(COALESCE(SUM(") + rollups::kTotalOfBins +
                 "), 0) AS SIGNED) FROM {prefix}ratingd_balances"
                 " WHERE object_id = ? AND object_type = ?" +
                 kind_condition(filter) + " AND day BETWEEN ? AND ?",
             object.id, object.type, filter, filter.days.first, filter.days.last)
      .number();
}

}  // namespace analytics
