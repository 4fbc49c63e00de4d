#include "analytics/rating_lists.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "analytics/object_analytics.h"
#include "base/stopwatch.h"
#include "rollups/rollup_changes.h"

namespace analytics {
namespace {

using model::Category;
using model::Object;
using model::Rating;

std::string columns_in(std::string_view direction, const std::vector<std::string>& columns,
                       std::string_view table = "") {
  std::string text;
  for (const std::string& column : columns) {
    text.append(text.empty() ? "" : ", ").append(table).append(column).append(direction);
  }
  return text;
}

// Newest first, in the order of every index on the time.
const std::vector<std::string>& order() {
  static const std::vector<std::string> columns = {"rated_at", "object_id", "object_type",
                                                   "category", "voter"};
  return columns;
}

std::vector<Rating> read(db::Statement& statement) {
  std::vector<Rating> ratings;
  for (db::Rows row = statement.query(); row.next();) {
    ratings.push_back({{{row.unsigned_integer(1), row.text(2)},
                        static_cast<Category>(row.integer(3)),
                        row.unsigned_integer(4)},
                       static_cast<model::Thousandths>(row.integer(5)),
                       row.time(6)});
  }
  return ratings;
}

// The number of votes per statement of a search for the newest: it grows while few match.
constexpr std::int64_t kFirstChunk = 256, kGrowth = 4, kLargestChunk = 50'000;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

constexpr const char* kOfVoter =
    " FORCE INDEX (by_voter) WHERE voter = ? AND rated_at >= ? AND rated_at < ? AND held = 0";

// After all ratings that are not older than "time": no object has the id 0.
Cursor before(base::Time time) { return {time, {0, "post"}, Category::binary, 0}; }

void append(std::vector<Rating>& ratings, std::vector<Rating> more) {
  std::move(more.begin(), more.end(), std::back_inserter(ratings));
}

}  // namespace

RatingLists::RatingLists(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      select_("SELECT object_id, object_type, category, voter, value, rated_at FROM " +
              table_prefix + "ratingd_votes"),
      select_newest_(
          "SELECT vote.object_id, vote.object_type, vote.category, vote.voter, vote.value,"
          " vote.rated_at FROM " +
          table_prefix + "ratingd_votes found FORCE INDEX (by_time) STRAIGHT_JOIN " + table_prefix +
          "ratingd_votes vote FORCE INDEX (PRIMARY) ON vote.object_id = found.object_id"
          " AND vote.object_type = found.object_type AND vote.category = found.category"
          " AND vote.voter = found.voter WHERE found.rated_at >= ? AND found.rated_at < ?"),
      select_of_object_("SELECT category, voter, value, rated_at FROM " + table_prefix +
                        "ratingd_votes FORCE INDEX (by_object) WHERE object_id = ?"
                        " AND object_type = ? AND category = ? AND rated_at >= ? AND rated_at < ?"
                        " AND held = 0"),
      find_chunk_("SELECT rated_at FROM " + table_prefix +
                  "ratingd_votes FORCE INDEX (by_time) WHERE rated_at >= ? AND rated_at < ?"
                  " ORDER BY rated_at DESC LIMIT 1 OFFSET ?") {}

RecentRatings RatingLists::recent(db::Connection& connection, std::span<const TimeSpan> spans,
                                  const RatingFilter& filter, const std::optional<Cursor>& cursor,
                                  std::int64_t limit, std::chrono::milliseconds time_limit) const {
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
      const base::Time begin = begin_of_chunk(connection, span, chunk);
      append(found.ratings, newest(connection, {begin, span.end}, filter, missing()));
      span.end = begin;
      chunk = std::min(kGrowth * chunk, kLargestChunk);
      is_late = stopwatch.elapsed() >= time_limit;
    }
  }
  return found;
}

// The start of the "votes" newest votes of the span, including held ones; votes with equal times
// stay together.
base::Time RatingLists::begin_of_chunk(db::Connection& connection, const TimeSpan& span,
                                       std::int64_t votes) const {
  db::Rows row = connection.prepare(find_chunk_)
                     .bind(span.begin)
                     .bind(span.end)
                     .bind(std::int64_t{votes - 1})
                     .query();
  return row.next() ? row.time(1) : span.begin;
}

// The index has everything except "held" and the value: only matching rows are looked up.
std::vector<Rating> RatingLists::newest(db::Connection& connection, const TimeSpan& span,
                                        const RatingFilter& filter, std::int64_t limit) const {
  db::Statement& statement = connection.prepare(
      select_newest_ + kind_condition(filter, "found.") + " AND vote.held = 0 ORDER BY " +
      columns_in(" DESC", order(), "found.") + " LIMIT ?");
  statement.bind(span.begin).bind(span.end);
  bind_kind(statement, filter);
  statement.bind(limit);
  return read(statement);
}

std::optional<base::Time> RatingLists::last_unlisted(db::Connection& connection, base::Day day,
                                                     const RatingFilter& filter) const {
  db::Statement& statement = connection.prepare(
      "SELECT last_rated_at FROM " + table_prefix_ + "ratingd_balances WHERE day = ?" +
      kind_condition(filter) + " ORDER BY last_rated_at DESC LIMIT 1");
  statement.bind(day);
  bind_kind(statement, filter);
  db::Rows row = statement.query();
  if (!row.next() || row.time(1) <= base::Time(rollups::kNeverActive))
    return std::nullopt;  // empty
  return row.time(1);
}

// The ratings with the cursor's time that follow it.
std::vector<Rating> RatingLists::rest_of_moment(db::Connection& connection, const Cursor& cursor,
                                                const RatingFilter& filter,
                                                std::int64_t limit) const {
  db::Statement& statement = connection.prepare(
      select_ +
      " FORCE INDEX (by_time) WHERE rated_at = ? AND held = 0"
      " AND (object_id, object_type, category) <= (?, ?, ?)" +
      kind_condition(filter) + " ORDER BY " + columns_in(" DESC", order()) + " LIMIT ? OFFSET ?");
  statement.bind(cursor.rated_at).bind(cursor.object.id).bind(cursor.object.type);
  statement.bind(static_cast<std::int64_t>(cursor.category));
  bind_kind(statement, filter);
  statement.bind(limit).bind(cursor.passed);
  return read(statement);
}

std::vector<Rating> RatingLists::of_voter(db::Connection& connection, model::VoterId voter,
                                          const TimeSpan& span, const RatingFilter& filter,
                                          Part part) const {
  db::Statement& statement = connection.prepare(
      select_ + kOfVoter + kind_condition(filter) + " ORDER BY " +
      columns_in(part.oldest_first ? " ASC" : " DESC", order()) + " LIMIT ? OFFSET ?");
  statement.bind(voter).bind(span.begin).bind(span.end);
  bind_kind(statement, filter);
  statement.bind(part.limit).bind(part.offset);
  return read(statement);
}

// The index has the category before the time: the server merges the parts of several categories, so
// only the page is sent.
std::vector<Rating> RatingLists::of_object(db::Connection& connection, const Object& object,
                                           const TimeSpan& span,
                                           std::span<const Category> categories, Part part) const {
  const std::string direction = part.oldest_first ? " ASC" : " DESC";
  std::string text;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    text.append(i == 0 ? "(" : " UNION ALL (").append(select_of_object_);
    text += " ORDER BY " + columns_in(direction, {"rated_at", "voter"}) + " LIMIT ?)";
  }
  text += " ORDER BY " + columns_in(direction, {"rated_at", "category", "voter"});
  db::Statement& statement = connection.prepare(text + " LIMIT ? OFFSET ?");
  for (const Category category : categories) {
    statement.bind(object.id).bind(object.type).bind(static_cast<std::int64_t>(category));
    statement.bind(span.begin).bind(span.end).bind(std::int64_t{part.offset + part.limit});
  }
  statement.bind(part.limit).bind(part.offset);
  std::vector<Rating> ratings;
  for (db::Rows row = statement.query(); row.next();) {
    ratings.push_back({{object, static_cast<Category>(row.integer(1)), row.unsigned_integer(2)},
                       static_cast<model::Thousandths>(row.integer(3)),
                       row.time(4)});
  }
  return ratings;
}

// Newest first, in chunks.
void RatingLists::for_each(db::Connection& connection, TimeSpan span, const RatingFilter& filter,
                           const std::function<void(const Rating&)>& use) const {
  const base::Stopwatch stopwatch;
  while (span.begin < span.end) {
    if (stopwatch.elapsed() > ObjectAnalytics::kTimeLimit) throw TakesTooLong();
    const base::Time begin = begin_of_chunk(connection, span, kLargestChunk);
    for (const Rating& rating : newest(connection, {begin, span.end}, filter, kNoLimit)) {
      use(rating);
    }
    span.end = begin;
  }
}

model::Totals RatingLists::of_scale(db::Connection& connection, const TimeSpan& span,
                                    RatingFilter filter) const {
  filter.category = Category::scale;
  model::Totals totals;
  for_each(connection, span, filter, [&](const Rating& rating) {
    totals.sum += rating.value;
    ++totals.bins[model::bin_of(Category::scale, rating.value)];
  });
  const std::string text =
      "SELECT sum, bin0, bin1, bin2, bin3, bin4, bin5, bin6, bin7, bin8, bin9, bin10 FROM " +
      table_prefix_ + "ratingd_balances WHERE day BETWEEN ? AND ?" + kind_condition(filter);
  const bool is_complete =
      in_slices(filter.days, ObjectAnalytics::kTimeLimit, [&](const DayRange& slice) {
        db::Statement& statement = connection.prepare(text).bind(slice.first).bind(slice.last);
        bind_kind(statement, filter);
        for (db::Rows row = statement.query(); row.next();) {
          totals.sum += row.integer(1);
          unsigned column = 2;
          for (std::int64_t& bin : totals.bins) bin += row.integer(column++);
        }
      });
  if (!is_complete) throw TakesTooLong();
  return totals;
}

SumsById RatingLists::of_users(db::Connection& connection, const TimeSpan& span,
                               const RatingFilter& filter) const {
  SumsById sums;
  for_each(connection, span, filter, [&](const Rating& rating) {
    if (model::is_anonymous(rating.key.voter)) return;
    Sums& one = sums[rating.key.voter][static_cast<std::size_t>(rating.key.category)];
    ++one.total;
    one.sum += rating.value;
  });
  return sums;
}

SumsByCategory RatingLists::sums_of_voter(db::Connection& connection, model::VoterId voter,
                                          const TimeSpan& span, const RatingFilter& filter) const {
  db::Statement& statement = connection.prepare(
      "SELECT category, COUNT(*), CAST(SUM(value) AS SIGNED) FROM " + table_prefix_ +
      "ratingd_votes" + kOfVoter + kind_condition(filter) + " GROUP BY category");
  statement.bind(voter).bind(span.begin).bind(span.end);
  bind_kind(statement, filter);
  SumsByCategory sums{};
  for (db::Rows row = statement.query(); row.next();) {
    Sums& one = sums[static_cast<std::size_t>(row.integer(1))];
    one.total = row.integer(2);
    one.sum = row.integer(3);
  }
  return sums;
}

std::int64_t RatingLists::unlisted(db::Connection& connection, const Object& object,
                                   const RatingFilter& filter) const {
  db::Statement& statement = connection.prepare(
      "SELECT CAST(COALESCE(SUM(bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + "
      "bin9 + bin10), 0) AS SIGNED) FROM " +
      table_prefix_ + "ratingd_balances WHERE object_id = ? AND object_type = ?" +
      (filter.category ? " AND category = ?" : " AND category IN (0, 1, 2)") +
      " AND day BETWEEN ? AND ?");
  statement.bind(object.id).bind(object.type);
  if (filter.category) statement.bind(static_cast<std::int64_t>(*filter.category));
  statement.bind(filter.days.first).bind(filter.days.last);
  db::Rows row = statement.query();
  return row.next() ? row.integer(1) : 0;
}

}  // namespace analytics
