// Lists of individual ratings: the newest ratings on the site, and the ratings for one post.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analytics/rating_sums.h"
#include "api/access.h"
#include "handlers/analysis.h"
#include "handlers/handlers.h"
#include "handlers/object_ratings.h"
#include "handlers/rating_table.h"
#include "json/codec.h"

namespace handlers {
namespace {

using analytics::Cursor;
using model::Object;
using model::Rating;

constexpr std::int64_t kMaxRatings = 100;
constexpr std::size_t kMaxCursor = 200;  // longer than any cursor

// Queries that scan more than kManyVotes votes need a permit.
constexpr std::int64_t kManyVotes = 50'000;

using CountsByDay = std::map<base::Day, std::int64_t, std::greater<>>;  // latest day first

CountsByDay counts_by_day(const Analysis& analysis, const analytics::RatingFilter& filter) {
  CountsByDay counts;
  for (const analytics::SiteDay& day : analytics::site_days(analysis.connection(), filter)) {
    counts[day.day] += day.totals.total();
  }
  return counts;
}

// Specifies which votes to scan for the newest ratings.
struct Search {
  // The time spans to search, newest first. Days without matching ratings may be omitted.
  std::vector<analytics::TimeSpan> spans;
  std::int64_t votes = 0;  // the approximate number of votes to scan
};

Search plan_search(const Analysis& analysis, const std::optional<Cursor>& cursor,
                   std::int64_t limit) {
  Search search;
  const auto days = analysis.rated_days();
  if (!days) return search;
  const base::ZoneHistory& zones = analysis.calendar.zones;
  analytics::RatingFilter filter = analysis.filter;
  filter.days = *days;
  const bool fits_any = !filter.category && !filter.object_type;
  if (fits_any || filter.has_reason) return {{moments_of(*days, zones)}, limit};
  const CountsByDay fitting = counts_by_day(analysis, filter);
  filter.category.reset();
  filter.object_type.reset();
  filter.ids.clear();
  const CountsByDay all = counts_by_day(analysis, filter);
  for (const auto& [day, count] : fitting) {
    const analytics::TimeSpan span = moments_of({day, day}, zones);
    if (cursor && span.begin > cursor->rated_at) continue;
    search.spans.push_back(span);
    if (limit <= 0) continue;  // the page is complete
    const auto found = all.find(day);
    const std::int64_t of_day = found == all.end() ? 0 : found->second;
    search.votes += limit < count ? of_day / count * limit : of_day;
    limit -= count;
  }
  return search;
}

bool is_at(const Cursor& cursor, const Rating& rating) {
  return cursor.rated_at == rating.rated_at && cursor.object == rating.key.object &&
         cursor.category == rating.key.category;
}

// Returns the position after the last rating in "ratings". "before" is the position from which the
// ratings were read.
Cursor cursor_behind(const std::vector<Rating>& ratings, const std::optional<Cursor>& before) {
  const Rating& last = ratings.back();
  Cursor cursor{last.rated_at, last.key.object, last.key.category, 0};
  cursor.listed_at_this_time = std::count_if(
      ratings.begin(), ratings.end(), [&](const Rating& rating) { return is_at(cursor, rating); });
  if (before && is_at(*before, last)) cursor.listed_at_this_time += before->listed_at_this_time;
  return cursor;
}

struct RecentQuery {
  AnalyticsQuery shared;
  std::int64_t limit = 20;
  std::optional<Cursor> after;
  bool has_reason = false;
};

RecentQuery read_recent_query(api::Fields& fields) {
  RecentQuery query;
  query.shared = read_analytics_query(fields);
  api::reject_page(fields, base::Message("The “page” parameter is not supported. Send the "
                                         "“meta.next” value from the previous response as the "
                                         "“after” parameter."));
  query.limit = fields.positive_integer("limit", kMaxRatings, query.limit);
  query.limit = fields.positive_integer("per_page", kMaxRatings, query.limit);
  query.has_reason = fields.boolean("with_reason").value_or(false);
  if (const auto text =
          fields.text("after", api::Fields::Presence::optional, {.maximum = kMaxCursor})) {
    query.after = api::read_cursor(*text);
    if (!query.after) {
      fields.reject(
          "after", "rest_invalid_pattern",
          base::Message("The “after” parameter must be the “meta.next” value from a previous "
                        "response."));
    }
  }
  return query;
}

// The maximum number of additional reads to replace ratings omitted from the list. After
// kMaxRefills reads, a page may still contain fewer ratings than requested.
constexpr int kMaxRefills = 5;

// The newest ratings to list, and the CMS's data about their objects.
struct Shown {
  analytics::RecentRatings found;
  Titles titles;
};

// Returns the same ratings as Analysis::newest_ratings(), but without ratings for objects that
// lists omit.
std::optional<Shown> shown_ratings(Analysis& analysis, const Search& search,
                                   const RecentQuery& query) {
  analytics::SearchTime time = analysis.search_time();
  Shown shown{{{}, query.after}, {analysis, {}}};
  auto& [ratings, rest] = shown.found;
  for (int i = 0; i <= kMaxRefills; ++i) {
    const std::int64_t missing = query.limit - std::ssize(ratings);
    const auto from = rest;
    auto more = analysis.newest_ratings(search.spans, analysis.filter, from, missing, time);
    if (!more) return std::nullopt;
    const bool is_full = std::ssize(more->ratings) == missing;
    rest = is_full ? cursor_behind(more->ratings, from) : more->rest;
    shown.titles.add(analysis, objects_of(more->ratings));
    for (Rating& rating : more->ratings) {
      if (!shown.titles.hides(rating.key.object)) ratings.push_back(std::move(rating));
    }
    if (!is_full || std::ssize(ratings) == query.limit) break;
    if (time.left().count() > 0) continue;
    if (analysis.is_long_scan()) break;
    if (!analysis.begin_long_scan()) return std::nullopt;
    time = analysis.search_time();
  }
  return shown;
}

Attempt list_recent(Analysis& analysis, const RecentQuery& query) {
  analysis.filter.has_reason = query.has_reason;
  const Search search = plan_search(analysis, query.after, query.limit);
  if (search.votes > kManyVotes && !analysis.begin_long_scan()) return std::nullopt;
  const auto shown = shown_ratings(analysis, search, query);
  if (!shown) return std::nullopt;
  const auto& [ratings, rest] = shown->found;
  const std::string next = rest ? api::write_cursor(*rest) : "";
  analysis.meta = {{"next", rest ? api::Cell(next) : api::Cell()}};
  api::Answer answer =
      list_answer(analysis, "recent", rating_table(analysis, ratings, {.titles = &shown->titles}));
  if (rest) api::add_next_link(answer, analysis.call, "after", next);
  return answer;
}

struct PostQuery {
  AnalyticsQuery shared;
  std::optional<Interval> interval;  // if empty, the shortest suitable interval
  api::Page page;
  Order order;
};

// Returns the object with the given id, and its totals. The id has the same meaning as in GET
// /stats/{object_id}. A post that the requester may not see is treated as missing. If the filter
// contains a type, returns the object with the given id and this type. If no ratings have this id
// and type, but a visible post with this id has this type in the CMS, returns the post.
ObjectStats find_subject(const Analysis& analysis, const api::Reading& reading, std::uint64_t id) {
  const api::Core& core = analysis.core;
  const Object post{id, "post"};
  const auto& wanted = analysis.filter.object_type;
  if (!wanted) {
    return meant_object(core, reading, id, analysis.call.site.settings.facets,
                        [&] { return Titles(analysis, {post}).find(post) != nullptr; });
  }
  ObjectStats subject = with_stats(core, reading, {id, *wanted});
  if (has_ratings(subject.stats)) return subject;
  const Titles titles(analysis, {post});
  const cms::ContentItem* known = titles.find(post);
  const bool is_wanted = known != nullptr && known->type == cms::own_type(*wanted);
  return is_wanted ? with_stats(core, reading, post) : subject;
}

struct PostRatings {
  std::optional<Trend> trend;               // if requested
  std::map<model::Category, Trend> trends;  // for each category with ratings, if requested
  std::int64_t listed = 0;                  // the number of ratings on all pages
  std::vector<Rating> page;                 // empty if the page is past the end
};

// Returns the object's ratings on the days in the filter. Counts the ratings first, and reads no
// ratings if the page is past the end.
PostRatings ratings_of(const Analysis& analysis, const Object& object,
                       const std::optional<Interval>& interval, const PostQuery& query) {
  PostRatings result;
  if (interval) result.trend.emplace(analysis.filter.days, *interval, analysis.calendar.week_start);
  analytics::RatingFilter filter = analysis.filter;
  const auto days = analysis.rated_days();
  if (!days) return result;
  filter.days = *days;
  std::set<model::Category> rated;
  for (const analytics::ObjectDay& day :
       analytics::days_of_objects(analysis.connection(), {&object, 1}, *days)) {
    if (filter.category && *filter.category != day.category) continue;
    if (result.trend) {
      result.trend->add(day.day, day.category, day.sums);
      result.trends
          .try_emplace(day.category, analysis.filter.days, *interval, analysis.calendar.week_start)
          .first->second.add(day.day, day.category, day.sums);
    }
    result.listed += day.sums.total;
    rated.insert(day.category);
  }
  result.listed -= analytics::count_aggregated(analysis.connection(), object, filter);
  if (rated.empty() || query.page.offset() >= result.listed) return result;
  const std::vector<model::Category> categories(rated.begin(), rated.end());
  result.page = analytics::ratings_of_object(
      analysis.connection(), object, moments_of(*days, analysis.calendar.zones), categories,
      {query.page.offset(), query.page.size, query.order.ascending});
  return result;
}

api::Table trend_table(const Analysis& analysis, const Trend& trend) {
  api::Table points;
  Trend::add_columns(points);
  trend.add_rows(points, {}, analysis.filter.category);
  return points;
}

api::Answer post_answer(const Analysis& analysis, const ObjectStats& subject, const Titles& titles,
                        const PostRatings& ratings, bool has_ids) {
  const api::Table table = rating_table(analysis, ratings.page, {.id = has_ids});
  if (!ratings.trend) return list_answer(analysis, "post-details", table);
  std::string data;
  json::Writer json(data);
  json.begin_object();
  write_object(json, subject.object);
  titles.write(json, subject.object);
  write_stats(json, subject.stats);
  json.key("trend");
  api::write_table(json, trend_table(analysis, *ratings.trend));
  json.key("trends").begin_array();
  for (const auto& [category, trend] : ratings.trends) write_series(json, category, trend);
  json.end_array();
  json.key("ratings");
  api::write_table(json, table);
  json.end_object();
  return json_answer(analysis, data);
}

api::Result describe_post(Analysis& analysis, const api::Reading& reading, std::uint64_t id,
                          const PostQuery& query) {
  std::optional<Interval> interval;  // CSV has no trend
  if (!analysis.is_csv) {
    const analytics::DayRange& days = analysis.filter.days;
    interval = query.interval ? resolved(*query.interval, days) : shortest_interval(days);
    if (auto error = refuse_long_trend(days, *interval)) {
      return tl::unexpected(*std::move(error));
    }
    analysis.meta = {{"interval", std::string(name_of(*interval))}};
  }
  const ObjectStats subject = find_subject(analysis, reading, id);
  const Titles titles(analysis, {subject.object});
  if (titles.find(subject.object) == nullptr && !has_ratings(subject.stats)) {
    return tl::unexpected(api::Error{api::ErrorCode::not_found});
  }
  const PostRatings ratings = ratings_of(analysis, subject.object, interval, query);
  if (query.page.is_past_end(ratings.listed)) {
    return tl::unexpected(api::Error{api::ErrorCode::page_past_end});
  }
  api::Answer answer = post_answer(analysis, subject, titles, ratings, query.shared.has_ids);
  api::add_page_headers(answer, analysis.call, query.page, ratings.listed);
  return answer;
}

}  // namespace

api::Result recent_ratings(const api::Core& core, const api::Analytics& analytics,
                           const api::Call& call) {
  api::Fields fields(call.parameters);
  const RecentQuery query = read_recent_query(fields);
  if (query.has_reason) {
    auto refusal = api::refuse_without(call.requester, model::Right::see_persons);
    if (refusal) return tl::unexpected(*std::move(refusal));
  }
  return analyze(core, analytics, call, fields, query.shared,
                 [&](Analysis& analysis) { return list_recent(analysis, query); });
}

api::Result post_details(const api::Core& core, const api::Reading& reading,
                         const api::Analytics& analytics, const api::Call& call) {
  const auto id = api::parse_object_id(call.argument);
  if (!id) return tl::unexpected(api::bad_object_id(call.argument, "id"));
  api::Fields fields(call.parameters);
  PostQuery query;
  query.shared = read_analytics_query(fields);
  query.shared.type_is_of_object = true;
  query.shared.has_ids = fields.boolean("ids").value_or(false);
  if (fields.has("interval")) query.interval = read_interval(fields);
  query.page = api::read_page(fields);
  query.order = read_order(fields, kOrderOfRatings);
  return analyze(core, analytics, call, fields, query.shared,
                 [&](Analysis& analysis) { return describe_post(analysis, reading, *id, query); });
}

}  // namespace handlers
