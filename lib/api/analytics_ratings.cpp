// Single ratings: the newest of the site, those of one post.

#include <algorithm>
#include <utility>
#include <vector>

#include "api/analysis.h"
#include "api/analytics.h"
#include "api/cursor.h"
#include "api/rating_rows.h"
#include "api/ratings_json.h"
#include "api/trend.h"
#include "json/codec.h"

namespace api {
namespace {

using model::Object;
using model::Rating;
using store::Cursor;

constexpr std::int64_t kMostRatings = 100;
constexpr std::size_t kMaxCursor = 200;  // above any that is written

// The moments to look at, newest first: of few ratings that fit, the days that have any.
std::vector<store::TimeSpan> spans_of(const Analysis& analysis,
                                      const std::optional<Cursor>& cursor) {
  const base::Zone& zone = analysis.calendar.zone;
  const store::RatingFilter& filter = analysis.filter;
  if (!filter.category && !filter.object_type) return {moments_of(filter.days, zone)};
  std::vector<store::TimeSpan> spans;
  const auto days = analysis.app.analytics.site.days(analysis.connection, filter);
  for (auto day = days.rbegin(); day != days.rend(); ++day) {
    const bool is_known = day != days.rbegin() && std::prev(day)->day == day->day;
    const store::TimeSpan span = moments_of({day->day, day->day}, zone);
    if (!is_known && (!cursor || span.begin <= cursor->rated_at)) spans.push_back(span);
  }
  return spans;
}

bool is_at(const Cursor& cursor, const Rating& rating) {
  return cursor.rated_at == rating.rated_at && cursor.object == rating.key.object &&
         cursor.category == rating.key.category;
}

// Behind "ratings", which came after "before".
Cursor cursor_behind(const std::vector<Rating>& ratings, const std::optional<Cursor>& before) {
  const Rating& last = ratings.back();
  Cursor cursor{last.rated_at, last.key.object, last.key.category, 0};
  cursor.passed = std::count_if(ratings.begin(), ratings.end(),
                                [&](const Rating& rating) { return is_at(cursor, rating); });
  if (before && is_at(*before, last)) cursor.passed += before->passed;
  return cursor;
}

struct RecentQuery {
  AnalyticsQuery shared;
  std::int64_t limit = 20;
  std::optional<Cursor> after;
};

RecentQuery read_recent_query(Fields& fields) {
  RecentQuery query;
  query.shared = read_analytics_query(fields);
  query.limit = fields.positive_integer("limit", kMostRatings, query.limit);
  query.limit = fields.positive_integer("per_page", kMostRatings, query.limit);
  if (const auto text = fields.text("after", Fields::Presence::optional, {.maximum = kMaxCursor})) {
    query.after = read_cursor(*text);
    if (!query.after) {
      fields.reject("after", "rest_invalid_pattern", "after must be the meta.next of an answer.");
    }
  }
  return query;
}

Result list_recent(Analysis& analysis, const RecentQuery& query) {
  const auto ratings =
      analysis.app.analytics.ratings.recent(analysis.connection, spans_of(analysis, query.after),
                                            analysis.filter, query.after, query.limit);
  const bool is_full = static_cast<std::int64_t>(ratings.size()) == query.limit;
  std::string next;
  if (is_full) next = write_cursor(cursor_behind(ratings, query.after));
  analysis.meta = {{"next", is_full ? "\"" + next + "\"" : "null"}};
  Answer answer = list_answer(analysis, "recent", rating_table(analysis, ratings, {}));
  if (is_full) add_next_link(answer, analysis.call, "after", next);
  return answer;
}

struct PostQuery {
  AnalyticsQuery shared;
  Interval interval = Interval::day;
  Page page;
  Order order;
};

// The object that the id means, and what the CMS says of it.
struct Subject {
  Object object;
  model::Stats stats;
};

bool has_ratings(const model::Stats& stats) {
  return std::any_of(stats.begin(), stats.end(),
                     [](const model::Totals& totals) { return totals.total() > 0; });
}

// As GET /stats/{object_id} has it: a post, unless neither a post nor a rating of one has the id
// and exactly one other type has ratings for it.
Subject find_subject(const Analysis& analysis, std::uint64_t id) {
  const App& app = analysis.app;
  Subject subject{{id, analysis.filter.object_type.value_or("post")}, {}};
  const auto read = [&] {
    subject.stats =
        app.rollups.read_stats(analysis.connection, {&subject.object, 1}).at(subject.object);
  };
  read();
  if (analysis.filter.object_type || has_ratings(subject.stats)) return subject;
  const auto other_type = app.votes.only_other_type(analysis.connection, id);
  if (!other_type || app.wp.has_post(analysis.connection, id)) return subject;
  subject.object.type = *other_type;
  read();
  return subject;
}

void write_about(json::Writer& json, const Subject& subject, const Titles& titles) {
  std::vector<Cell> row;
  titles.add_cells(row, subject.object);
  write_object(json, subject.object);
  const store::WpObject* known = titles.find(subject.object);
  json.key("type");
  if (known != nullptr) {
    json.string(known->type);
  } else {
    json.null();
  }
  write_members(json, {"title", "link"}, row);
}

// Of the days: the trend, and how many ratings the list of single ones has in all.
struct PostTrend {
  Table points;
  std::int64_t listed = 0;
};

PostTrend trend_of(const Analysis& analysis, const Object& object, Interval interval) {
  Trend trend(analysis.filter.days, interval, analysis.calendar.week_start);
  PostTrend result;
  if (const auto days = analysis.rated_days()) {
    for (const store::ObjectDay& day :
         analysis.app.analytics.objects.days(analysis.connection, {&object, 1}, *days)) {
      const auto& category = analysis.filter.category;
      if ((category && *category != day.category) || !analysis.filter.days.contains(day.day)) {
        continue;
      }
      trend.add(day.day, day.category, day.sums);
      result.listed += day.sums.total;
    }
  }
  result.listed -=
      analysis.app.analytics.ratings.unlisted(analysis.connection, object, analysis.filter);
  Trend::add_columns(result.points);
  trend.add_rows(result.points, {}, analysis.filter.category != model::Category::scale);
  return result;
}

Result describe_post(const Analysis& analysis, std::uint64_t id, const PostQuery& query) {
  if (auto error = refuse_long_trend(analysis.filter.days, query.interval)) {
    return tl::unexpected(*std::move(error));
  }
  const Subject subject = find_subject(analysis, id);
  const Titles titles(analysis, {subject.object});
  if (titles.find(subject.object) == nullptr && !has_ratings(subject.stats)) {
    return tl::unexpected(Error{ErrorCode::not_found});
  }
  const PostTrend trend = trend_of(analysis, subject.object, query.interval);
  if (query.page.is_past_end(trend.listed)) return tl::unexpected(Error{ErrorCode::page_past_end});
  const auto ratings = analysis.app.analytics.ratings.of_object(
      analysis.connection, subject.object, moments_of(analysis.filter.days, analysis.calendar.zone),
      analysis.filter.category, {query.page.offset(), query.page.size, query.order.ascending});
  const Table table = rating_table(analysis, ratings, {.title = false, .voter = true});

  Answer answer;
  if (analysis.is_csv) {
    answer = list_answer(analysis, "post-details", table);
  } else {
    std::string data;
    json::Writer json(data);
    json.begin_object();
    write_about(json, subject, titles);
    write_stats(json, subject.stats);
    json.key("trend");
    write_table(json, trend.points);
    json.key("ratings");
    write_table(json, table);
    json.end_object();
    answer = json_answer(analysis, data);
  }
  add_page_headers(answer, analysis.call, query.page, trend.listed);
  return answer;
}

}  // namespace

Result recent_ratings(const App& app, const Call& call) {
  Fields fields(call.parameters);
  const RecentQuery query = read_recent_query(fields);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return analyse(app, call, query.shared,
                 [&](Analysis& analysis) { return list_recent(analysis, query); });
}

Result post_details(const App& app, const Call& call) {
  const auto id = parse_object_id(call.argument);
  if (!id) return tl::unexpected(bad_object_id(call.argument, "id"));
  Fields fields(call.parameters);
  PostQuery query;
  query.shared = read_analytics_query(fields);
  query.interval = read_interval(fields);
  query.page = read_page(fields);
  query.order = read_order(fields, kOrderOfRatings);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return analyse(app, call, query.shared,
                 [&](Analysis& analysis) { return describe_post(analysis, *id, query); });
}

}  // namespace api
