// Lists of the best rated and most rated objects.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "analytics/rating_sums.h"
#include "analytics/top_rated.h"
#include "handlers/analysis.h"
#include "handlers/handlers.h"
#include "handlers/rating_table.h"
#include "model/rating.h"

namespace handlers {
namespace {

using analytics::kMetricNames;
using analytics::Metric;
using analytics::ObjectSums;
using analytics::Sums;
using analytics::TopRatedError;
using model::Category;
using model::Object;

constexpr std::size_t kOverviewLength = 10;

struct TopQuery {
  AnalyticsQuery shared;
  api::Page page;
  analytics::TopRatedQuery top;
};

TopQuery read_top_query(api::Fields& fields) {
  TopQuery query;
  query.shared = read_analytics_query(fields);
  query.page = api::read_page(fields);
  query.top.offset = query.page.offset();
  query.top.limit = query.page.size;
  analytics::RankingQuery& ranking = query.top.ranking;
  ranking.displayed = Metric{fields.choice("metric", kMetricNames).value_or(0)};
  ranking.order_by = ranking.displayed;
  if (const auto by = fields.choice("orderby", kMetricNames)) ranking.order_by = Metric{*by};
  ranking.ascending = read_ascending(fields);
  ranking.min_ratings = fields.positive_integer("min_ratings", api::Fields::kNoMaximum, 1);
  query.top.search = read_search(fields);
  ranking.exclude = fields.object_ids("exclude", api::Fields::Presence::optional);
  return query;
}

api::Error error_of(TopRatedError error) {
  if (error == TopRatedError::past_end) return api::Error{api::ErrorCode::page_past_end};
  const std::string field = error == TopRatedError::undefined_metric ? "metric" : "orderby";
  return api::invalid_parameter(
      field, "rest_not_in_enum",
      base::Message("{name} must be bayesian, average, wilson or total for the “scale” category.",
                    {{"name", field}}));
}

using SumsByObject = std::map<Object, analytics::SumsByCategory>;

SumsByObject sums_of(const Analysis& analysis, const std::vector<Object>& objects,
                     const std::optional<analytics::DayRange>& days) {
  SumsByObject sums;
  if (!days) return sums;
  for (const analytics::ObjectDay& day :
       analytics::days_of_objects(analysis.connection(), objects, *days)) {
    if (analysis.filter.category && *analysis.filter.category != day.category) continue;
    Sums& one = sums[day.object][static_cast<std::size_t>(day.category)];
    one.total += day.sums.total;
    one.sum += day.sums.sum;
  }
  return sums;
}

// Returns the previous period, limited to the days from the site's first rating to tomorrow,
// because other days have no ratings.
std::optional<analytics::DayRange> rated_days_before(const Analysis& analysis) {
  const auto before = days_before(analysis.filter.days);
  if (!before || !analysis.first_day || before->last < *analysis.first_day) return std::nullopt;
  return analytics::DayRange{std::max(before->first, *analysis.first_day),
                             std::min(before->last, analysis.today + std::chrono::days(1))};
}

// Returns each object's totals for the previous period. The result is empty if the filter covers
// all time, because there is no previous period.
SumsByObject sums_before(const Analysis& analysis, const std::vector<Object>& objects) {
  if (analysis.filter.is_all) return {};
  return sums_of(analysis, objects, rated_days_before(analysis));
}

// Adds the `previous_average` column for the ranking's category.
void add_previous_averages(api::Table& table, const Analysis& analysis,
                           const analytics::TopRated& top) {
  std::vector<Object> objects;
  for (const auto& one : top.objects.items) objects.push_back(one.object);
  SumsByObject before = sums_before(analysis, objects);
  table.columns.emplace_back("previous_average");
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const Sums& sums = before[objects[i]][static_cast<std::size_t>(top.ranking.category)];
    table.rows[i].push_back(api::average_cell(model::average(sums.sum, sums.total)));
  }
}

api::Table top_table(const analytics::TopRated& top) {
  const analytics::RankingQuery& ranking = top.ranking;
  const Titles titles(top.titles);
  const bool has_signs = analytics::has_signs(ranking.category);
  api::Table table{{"object_id", "object_type"}, {}};
  Titles::add_columns(table);
  table.columns.insert(table.columns.end(), {"value", "total", "average"});
  if (has_signs) table.columns.insert(table.columns.end(), {"positive", "negative", "score"});
  for (const auto& [object, sums] : top.objects.items) {
    std::vector<api::Cell> row = {object.id, object.type};
    titles.add_cells(row, object);
    const analytics::Figure figure = ranking.figure(sums);
    row.push_back(figure.is_average ? api::average_cell(figure.value) : api::Cell(figure.value));
    row.emplace_back(sums.total);
    row.push_back(api::average_cell(model::average(sums.sum, sums.total)));
    if (has_signs) {
      row.insert(row.end(), {sums.positive, sums.negative, sums.positive - sums.negative});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Attempt list_top(Analysis& analysis, const TopQuery& query) {
  const auto made = analytics::top_rated(analysis, query.top);
  if (!made) return std::nullopt;
  if (!*made) return tl::unexpected(error_of(made->error()));
  const analytics::TopRated& top = **made;
  const analytics::RankingQuery& ranking = top.ranking;
  const auto prior_mean = model::average(ranking.prior.sum, ranking.prior.total);
  analysis.meta = {
      {"category", std::string(name_of(ranking.category))},
      {"metric", std::string(kMetricNames[static_cast<std::size_t>(ranking.displayed)])},
      {"prior_mean", api::average_cell(prior_mean)}};
  if (top.search_is_limited) {
    analysis.meta.emplace_back("search_is_limited", *top.search_is_limited);
  }
  api::Table table = top_table(top);
  add_previous_averages(table, analysis, top);
  api::Answer answer = list_answer(analysis, "top-rated", table);
  api::add_page_headers(answer, analysis.call, query.page, top.objects.total);
  return answer;
}

// Returns the most rated objects, counting only ratings in the given category.
std::optional<std::vector<ObjectSums>> most_rated_in_category(
    Analysis& analysis, Category category, std::shared_ptr<const model::ObjectSet> hidden) {
  analytics::RankingQuery ranking;
  ranking.order_by = Metric::total;
  ranking.category = category;
  ranking.hidden = std::move(hidden);
  const auto slice = analytics::ranked(analysis, ranking, 0, std::int64_t{kOverviewLength});
  if (!slice) return std::nullopt;
  std::vector<ObjectSums> objects;
  for (const auto& [object, sums] : slice->items) {
    objects.push_back({object, {}});
    objects.back().by_category[static_cast<std::size_t>(category)] = sums;
  }
  return objects;
}

std::optional<std::vector<ObjectSums>> most_rated(Analysis& analysis) {
  const analytics::RatingFilter& filter = analysis.filter;
  const auto hidden = hidden_objects(analysis);
  if (hidden == nullptr) return std::nullopt;
  if (filter.category) return most_rated_in_category(analysis, *filter.category, hidden);
  return analysis.materialized_or_summed(
      [&](const analytics::ListQuery& list_query) {
        return analytics::materialized_most_rated(analysis.connection(), list_query,
                                                  *filter.object_type, *hidden,
                                                  std::int64_t{kOverviewLength});
      },
      analytics::Signs::omitted,
      [&](const analytics::SumsByTypeAndId& sums) {
        return analytics::most_rated(sums, *hidden, kOverviewLength);
      });
}

// Call this function only if the filter contains an object type.
Attempt list_overview(Analysis& analysis) {
  const auto rated = most_rated(analysis);
  if (!rated) return std::nullopt;
  std::vector<Object> objects;
  objects.reserve(rated->size());
  for (const ObjectSums& one : *rated) objects.push_back(one.object);
  const bool has_before = !analysis.filter.is_all;
  const SumsByObject before = sums_before(analysis, objects);

  const Titles titles(analysis, objects);
  api::Table table{{"object_id", "object_type"}, {}};
  Titles::add_columns(table);
  table.columns.emplace_back("total");
  add_category_columns(table);
  table.columns.insert(table.columns.end(), {"previous_total", "change"});
  for (const Category category : model::kCategories) {
    table.columns.push_back("previous_averages." + std::string(name_of(category)));
  }
  for (const auto& [object, sums] : *rated) {
    std::vector<api::Cell> row = {object.id, object.type};
    titles.add_cells(row, object);
    const std::int64_t total = total_of(sums);
    row.emplace_back(total);
    add_category_cells(row, sums);
    const auto found = before.find(object);
    const analytics::SumsByCategory earlier_sums =
        found == before.end() ? analytics::SumsByCategory{} : found->second;
    const std::int64_t earlier = total_of(earlier_sums);
    row.push_back(has_before ? api::Cell(earlier) : api::Cell());
    row.push_back(has_before ? api::Cell(total - earlier) : api::Cell());
    for (const Sums& one : earlier_sums) {
      row.push_back(api::average_cell(model::average(one.sum, one.total)));
    }
    table.rows.push_back(std::move(row));
  }
  return list_answer(analysis, "top-posts-overview", table);
}

}  // namespace

api::Result top_rated(const api::Core& core, const api::Analytics& analytics,
                      const api::Call& call) {
  api::Fields fields(call.parameters);
  const TopQuery query = read_top_query(fields);
  return analyze(core, analytics, call, fields, query.shared,
                 [&](Analysis& analysis) { return list_top(analysis, query); });
}

api::Result top_posts_overview(const api::Core& core, const api::Analytics& analytics,
                               const api::Call& call) {
  api::Fields fields(call.parameters);
  AnalyticsQuery query = read_analytics_query(fields);
  if (!query.object_type) query.object_type = "post";
  api::reject_page(fields,
                   base::Message("The “page” parameter is not supported, because the list has "
                                 "only ten posts. Use GET /analytics/top-rated to list all "
                                 "posts."));

  return analyze(core, analytics, call, fields, query, list_overview);
}

}  // namespace handlers
