// Analytics for the whole site: stats, trends and distribution.

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "analytics/ranking.h"
#include "analytics/rating_sums.h"
#include "base/timestamp.h"
#include "handlers/analysis.h"
#include "handlers/handlers.h"
#include "handlers/object_ratings.h"
#include "model/rating.h"

namespace handlers {
namespace {

using analytics::DayRange;
using analytics::SiteDay;
using model::Category;
using model::Stats;
using model::Totals;

// A vote can have any object type, so only the types with the most rated objects are listed by
// name.
constexpr std::size_t kNamedTypes = 20;

Stats stats_of(const std::vector<SiteDay>& days) {
  Stats stats;
  for (const SiteDay& day : days) {
    Totals& totals = stats[static_cast<std::size_t>(day.category)];
    totals.sum += day.totals.sum;
    for (std::size_t bin = 0; bin < totals.bins.size(); ++bin) {
      totals.bins[bin] += day.totals.bins[bin];
    }
  }
  return stats;
}

std::int64_t count(const Stats& stats) {
  std::int64_t total = 0;
  for (const Totals& totals : stats) total += totals.total();
  return total;
}

std::vector<SiteDay> days_in(const Analysis& analysis, const DayRange& days) {
  const auto rated = analysis.rated_days(days);
  if (!rated) return {};
  analytics::RatingFilter filter = analysis.filter;
  filter.days = *rated;
  return analytics::site_days(analysis.connection(), filter);
}

// Returns the rating sums for the days in the filter. If the filter contains object ids, counts the
// scale values in the individual ratings, because the rollup with object ids does not contain the
// distribution of scale values.
Stats stats_in(const Analysis& analysis, const std::vector<SiteDay>& days) {
  Stats stats = stats_of(days);
  Totals& scale = stats[static_cast<std::size_t>(Category::scale)];
  if (analysis.filter.ids.empty() || scale.total() == 0) return stats;
  analytics::RatingFilter filter = analysis.filter;
  filter.days = {days.front().day, days.back().day};
  scale = analytics::totals_of_scale(analysis.connection(),
                                     moments_of(filter.days, analysis.calendar.zones), filter);
  return stats;
}

// Finds the time of the newest rating in each category. In each category, searches only the last
// day with ratings, and leaves the time empty if the search takes too long. Returns false if a long
// scan is needed but not allowed now.
bool find_last_times(Analysis& analysis, const std::vector<SiteDay>& days, Stats& stats) {
  for (const Category category : model::kCategories) {
    const auto last = std::find_if(days.rbegin(), days.rend(),
                                   [&](const SiteDay& day) { return day.category == category; });
    if (last == days.rend()) continue;
    analytics::RatingFilter filter = analysis.filter;
    filter.category = category;
    const analytics::TimeSpan span = moments_of({last->day, last->day}, analysis.calendar.zones);
    analytics::SearchTime time_limit = analysis.search_time();
    const auto newest = analysis.newest_ratings({&span, 1}, filter, {}, 1, time_limit);
    if (!newest) return false;
    auto& time = stats[static_cast<std::size_t>(category)].last_rated_at;
    time = analytics::last_aggregated(analysis.connection(), last->day, filter);
    if (newest->ratings.empty()) continue;
    time = std::max(time.value_or(base::Time::min()), newest->ratings.front().rated_at);
  }
  return true;
}

// Voters are counted only per day, not per category or type.
void write_voters(json::Writer& json, const Analysis& analysis, const DayRange& days) {
  json.key("active_voters");
  if (analysis.filter.category || analysis.filter.object_type) {
    json.null();
  } else {
    const auto past = analysis.past_days(days);
    json.integer(past ? analytics::active_voters(analysis.connection(), *past) : 0);
  }
}

// Returns up to kNamedTypes types with the most objects. Types with the same number of objects are
// sorted by name.
std::map<std::string, std::int64_t> most_of(const std::map<std::string, std::int64_t>& by_type) {
  std::vector<std::pair<std::string, std::int64_t>> types(by_type.begin(), by_type.end());
  std::stable_sort(types.begin(), types.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  types.resize(std::min(types.size(), kNamedTypes));
  return {types.begin(), types.end()};
}

using ObjectsByType = std::map<std::string, std::int64_t>;

// Returns the number of rated objects for each type. Facets are included only if requested. Returns
// nothing if counting requires a long scan that takes too long or is not allowed now.
std::optional<ObjectsByType> count_objects(Analysis& analysis) {
  auto counts = analysis.materialized_or_summed(
      [&](const analytics::ListQuery& list_query) {
        return analytics::materialized_rated_objects(analysis.connection(), list_query,
                                                     analysis.filter);
      },
      analytics::Signs::omitted, analytics::count_rated);
  if (counts && !analysis.filter.object_type) {
    const model::FacetNames& facets = analysis.call.site.settings.facets;
    std::erase_if(*counts, [&](const auto& one) { return model::is_facet(one.first, facets); });
  }
  return counts;
}

void write_objects(json::Writer& json, const ObjectsByType& by_type) {
  std::int64_t total = 0;
  for (const auto& [type, objects] : by_type) total += objects;
  const auto named = most_of(by_type);
  std::int64_t others = total;
  json.key("rated_objects").begin_object().key("total").integer(total);
  json.key("by_type").begin_object();
  for (const auto& [type, objects] : named) {
    json.key(type).integer(objects);
    others -= objects;
  }
  json.end_object().key("other").integer(others).end_object();
}

void write_day(json::Writer& json, const Analysis& analysis) {
  const DayRange today{analysis.today, analysis.today};
  json.key("today").begin_object();
  json.key("total_ratings").integer(count(stats_of(days_in(analysis, today))));
  write_voters(json, analysis, today);
  json.end_object();
}

// Writes the total for the previous period, and the change since the previous period.
void write_change(json::Writer& json, const Analysis& analysis, std::int64_t total) {
  json.key("change");
  const auto before = analysis.filter.is_all ? std::nullopt : days_before(analysis.filter.days);
  if (!before) {
    json.null();
    return;
  }
  const Stats stats = stats_of(days_in(analysis, *before));
  const std::int64_t earlier = count(stats);
  json.begin_object();
  json.key("from").string(base::to_date(before->first));
  json.key("to").string(base::to_date(before->last));
  json.key("previous_total_ratings").integer(earlier);
  json.key("total_ratings").integer(total - earlier);
  json.key("previous_averages").begin_object();
  for (const Category category : model::kCategories) {
    const auto average = model::average(stats[static_cast<std::size_t>(category)]);
    json.key(name_of(category));
    average ? json.decimal(*average, 4) : json.null();
  }
  json.end_object().end_object();
}

// Returns each bin's value in thousandths. Omits bins that are always empty in a binary or bipolar
// category.
std::vector<std::pair<model::Thousandths, std::size_t>> values_of(Category category) {
  if (category == Category::binary) return {{0, 0}, {1000, 10}};
  if (category == Category::bipolar) return {{-1000, 0}, {0, 5}, {1000, 10}};
  std::vector<std::pair<model::Thousandths, std::size_t>> values;
  for (std::size_t bin = 0; bin < Totals::kBins; ++bin) {
    values.emplace_back(static_cast<model::Thousandths>(100 * bin), bin);
  }
  return values;
}

api::Cell share_cell(std::int64_t part, std::int64_t whole) {
  return api::average_cell(model::average(part * 1000, whole));
}

// Returns a row for each category and value. The category's count, share and average are repeated
// in each row.
api::Table spread_table(const Stats& stats, const std::optional<Category>& only) {
  api::Table table;
  table.columns = {"category", "count", "share", "average", "value", "value_count", "value_share"};
  const std::int64_t all = count(stats);
  for (const Category category : model::kCategories) {
    if (only && *only != category) continue;
    const Totals& totals = stats[static_cast<std::size_t>(category)];
    const std::int64_t total = totals.total();
    for (const auto& [value, bin] : values_of(category)) {
      table.rows.push_back({std::string(name_of(category)), total, share_cell(total, all),
                            api::average_cell(model::average(totals)), api::Fraction{value, 3},
                            totals.bins[bin], share_cell(totals.bins[bin], total)});
    }
  }
  return table;
}

// Returns the data from spread_table() as JSON, with one object per category and a list of
// "values".
std::string spread_json(const api::Table& table) {
  api::Table categories{{"category", "count", "share", "average"}, {}};
  api::Table values{{"value", "count", "share"}, {}};
  std::string data;
  json::Writer json(data);
  json.begin_array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    values.rows.emplace_back(row.begin() + 4, row.end());
    if (i + 1 < table.rows.size() && table.rows[i + 1][0] == row[0]) continue;
    json.begin_object();
    api::write_members(json, categories.columns, {row.begin(), row.begin() + 4});
    json.key("values");
    api::write_table(json, values);
    json.end_object();
    values.rows.clear();
  }
  json.end_array();
  return data;
}

Trend trend_of(const Analysis& analysis, const std::vector<SiteDay>& days, Interval interval,
               const std::optional<Category>& category) {
  Trend trend(analysis.filter.days, interval, analysis.calendar.week_start);
  for (const SiteDay& day : days) {
    if (category && *category != day.category) continue;
    trend.add(day.day, day.category,
              {day.totals.total(), day.totals.sum, model::positive(day.totals),
               model::negative(day.totals)});
  }
  return trend;
}

using Days = std::vector<SiteDay>;

// Returns the response that "make" builds for the requested days, or an error if the response would
// have too many points.
api::Result analyse_trends(
    const api::Core& core, const api::Analytics& analytics, const api::Call& call,
    const std::function<api::Answer(Analysis&, const Days&, Interval)>& make) {
  api::Fields fields(call.parameters);
  const AnalyticsQuery query = read_analytics_query(fields);
  const Interval wanted = read_interval(fields);
  return analyze(core, analytics, call, fields, query, [&](Analysis& analysis) -> api::Result {
    const Interval interval = resolved(wanted, analysis.filter.days);
    if (auto error = refuse_long_trend(analysis.filter.days, interval)) {
      return tl::unexpected(*std::move(error));
    }
    analysis.meta = {{"interval", std::string(name_of(interval))}};
    return make(analysis, days_in(analysis, analysis.filter.days), interval);
  });
}

}  // namespace

api::Result site_stats(const api::Core& core, const api::Analytics& analytics,
                       const api::Call& call) {
  api::Fields fields(call.parameters);
  AnalyticsQuery query = read_analytics_query(fields);
  if (query.is_csv)
    fields.reject("format", "rest_not_in_enum",
                  base::Message("The “format” parameter must be “json”."));
  return analyze(core, analytics, call, fields, query, [](Analysis& analysis) -> Attempt {
    const auto days = days_in(analysis, analysis.filter.days);
    Stats stats = stats_in(analysis, days);
    if (!find_last_times(analysis, days, stats)) return std::nullopt;
    const auto objects = count_objects(analysis);
    if (!objects) return std::nullopt;
    std::string data;
    json::Writer json(data);
    json.begin_object().key("total_ratings").integer(count(stats));
    write_objects(json, *objects);
    write_voters(json, analysis, analysis.filter.days);
    write_stats(json, stats);
    write_day(json, analysis);
    write_change(json, analysis, count(stats));
    json.end_object();
    return json_answer(analysis, data);
  });
}

api::Result trends(const api::Core& core, const api::Analytics& analytics, const api::Call& call) {
  return analyse_trends(
      core, analytics, call, [](Analysis& analysis, const Days& days, Interval interval) {
        api::Table table;
        Trend::add_columns(table);
        trend_of(analysis, days, interval, {}).add_rows(table, {}, analysis.filter.category);
        return list_answer(analysis, "trends", table);
      });
}

api::Result trends_by_category(const api::Core& core, const api::Analytics& analytics,
                               const api::Call& call) {
  return analyse_trends(
      core, analytics, call, [](Analysis& analysis, const Days& days, Interval interval) {
        api::Table table{{"category"}, {}};
        Trend::add_columns(table);
        std::string data;
        json::Writer json(data);
        json.begin_array();
        for (const Category category : model::kCategories) {
          if (analysis.filter.category.value_or(category) != category) continue;
          const Trend trend = trend_of(analysis, days, interval, category);
          write_series(json, category, trend);
          trend.add_rows(table, {std::string(name_of(category))}, category);
        }
        json.end_array();
        return analysis.is_csv ? list_answer(analysis, "trends-by-category", table)
                               : json_answer(analysis, data);
      });
}

api::Result distribution(const api::Core& core, const api::Analytics& analytics,
                         const api::Call& call) {
  api::Fields fields(call.parameters);
  const AnalyticsQuery query = read_analytics_query(fields);
  return analyze(core, analytics, call, fields, query, [&](Analysis& analysis) -> api::Result {
    const Stats stats = stats_in(analysis, days_in(analysis, analysis.filter.days));
    const api::Table table = spread_table(stats, query.category);
    return analysis.is_csv ? list_answer(analysis, "distribution", table)
                           : json_answer(analysis, spread_json(table));
  });
}

}  // namespace handlers
