// Lists of the best and the most rated objects.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "analytics/object_analytics.h"
#include "analytics/ranker.h"
#include "api/analysis.h"
#include "api/handlers.h"
#include "api/rating_table.h"
#include "base/bytes.h"
#include "model/rating.h"

namespace api {
namespace {

using analytics::kMetricNames;
using analytics::Metric;
using analytics::ObjectSums;
using analytics::RankedObject;
using analytics::Sums;
using model::Category;
using model::Object;

constexpr std::size_t kOverviewLength = 10;

std::vector<Object> ranked_objects(const std::vector<RankedObject>& ranked) {
  std::vector<Object> objects;
  objects.reserve(ranked.size());
  for (const RankedObject& one : ranked) objects.push_back(one.object);
  return objects;
}

std::optional<analytics::Slice<RankedObject>> top(Analysis& analysis,
                                                  const analytics::RankingQuery& ranking,
                                                  std::int64_t offset, std::int64_t limit) {
  return analysis.materialized_or_summed(
      [&](const analytics::ListQuery& list_query) {
        return analytics::materialized_top(analysis.connection(), list_query, analysis.filter,
                                           ranking, offset, limit);
      },
      analytics::has_signs(ranking.category) ? analytics::Signs::included
                                             : analytics::Signs::omitted,
      [&](const analytics::SumsByTypeAndId& sums) {
        return analytics::rank(sums, ranking, offset, limit);
      });
}

// The maximum number of matching titles that are ranked.
constexpr std::size_t kMaxTitles = 5000;

struct TopQuery {
  AnalyticsQuery shared;
  std::optional<std::string> search;  // words in titles
  Page page;
  analytics::RankingQuery ranking;
};

// Words in titles, without the white space around them.
std::optional<std::string> read_search(Fields& fields) {
  constexpr std::size_t kMaxWords = 100;
  auto words = fields.text("search", Fields::Presence::optional,
                           {.may_be_empty = false, .maximum = kMaxWords});
  if (!words) return std::nullopt;
  words = std::string(base::trim(*words));
  if (words->empty()) {
    fields.reject("search", "rest_invalid_pattern", base::Message("search must not be empty."));
  }
  return words;
}

TopQuery read_top_query(Fields& fields) {
  TopQuery query;
  query.shared = read_analytics_query(fields);
  query.page = read_page(fields);
  query.ranking.displayed = Metric{fields.choice("metric", kMetricNames).value_or(0)};
  query.ranking.order_by = query.ranking.displayed;
  if (const auto by = fields.choice("orderby", kMetricNames)) query.ranking.order_by = Metric{*by};
  query.ranking.ascending = read_ascending(fields);
  query.ranking.min_ratings = fields.positive_integer("min_ratings", Fields::kNoMaximum, 1);
  query.search = read_search(fields);
  query.ranking.exclude = fields.object_ids("exclude", Fields::Presence::optional);
  return query;
}

// Nothing if finding them needs a long scan that may not be made.
std::optional<cms::TitleMatches> find_titles(Analysis& analysis, const std::string& words) {
  const Call& call = analysis.call;
  cms::TitleSearch search;
  search.words = words;
  search.object_type = analysis.filter.object_type;
  search.facets = call.site.settings.facets;
  search.is_for_everybody = !call.requester.may(model::Right::see_unpublished);
  for (const std::string& type : call.site.settings.enabled_object_types) {
    search.further_public_types.emplace_back(cms::own_type(type));
  }
  search.limit = kMaxTitles;
  const auto find = [&] {
    search.time_limit = analysis.search_time().left();
    return analysis.app.cms.rated_with_title(analysis.connection(), search);
  };
  auto matches = find();
  if (!matches.exceeds_time || analysis.is_long_scan()) return matches;
  if (!analysis.begin_long_scan()) return std::nullopt;
  return find();
}

std::optional<Error> refuse_undefined_metric(const analytics::RankingQuery& ranking) {
  const bool by_metric = !is_defined(ranking.displayed, ranking.category);
  if (!by_metric && is_defined(ranking.order_by, ranking.category)) return std::nullopt;
  const std::string field = by_metric ? "metric" : "orderby";
  return invalid_parameter(
      field, "rest_not_in_enum",
      base::Message("{name} must be one of bayesian, average, wilson, total for category scale.",
                    {{"name", field}}));
}

Table top_table(const Analysis& analysis, const std::vector<RankedObject>& ranked,
                const analytics::RankingQuery& ranking) {
  const Titles titles(analysis, ranked_objects(ranked));
  const bool has_signs = analytics::has_signs(ranking.category);
  Table table{{"object_id", "object_type"}, {}};
  Titles::add_columns(table);
  table.columns.insert(table.columns.end(), {"value", "total", "average"});
  if (has_signs) table.columns.insert(table.columns.end(), {"positive", "negative", "score"});
  for (const auto& [object, sums] : ranked) {
    std::vector<Cell> row = {object.id, object.type};
    titles.add_cells(row, object);
    const analytics::Figure figure = ranking.figure(sums);
    row.push_back(figure.is_average ? average_cell(figure.value) : Cell(figure.value));
    row.emplace_back(sums.total);
    row.push_back(average_cell(model::average(sums.sum, sums.total)));
    if (has_signs) {
      row.insert(row.end(), {sums.positive, sums.negative, sums.positive - sums.negative});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Attempt list_top(Analysis& analysis, TopQuery query) {
  analytics::RankingQuery& ranking = query.ranking;
  const model::Settings& settings = analysis.call.site.settings;
  const auto& type = analysis.filter.object_type;
  const auto& all = type && model::is_facet(*type, settings.facets) ? analysis.sums_of_site()
                                                                    : analysis.sums_of_wholes();
  analytics::prepare_ranking(ranking, analysis.filter, type ? analysis.sums_in_period() : all, all,
                             settings.bayesian_prior_weight);
  if (auto error = refuse_undefined_metric(ranking)) return tl::unexpected(*std::move(error));
  if (query.page.is_past_end(ratings_in_period(analysis))) {
    return tl::unexpected(Error{ErrorCode::page_past_end});
  }
  if (!type) ranking.without = settings.facets;
  ranking.hidden = hidden_objects(analysis);
  if (ranking.hidden == nullptr) return std::nullopt;
  std::optional<cms::TitleMatches> matches;
  if (query.search) {
    matches = find_titles(analysis, *query.search);
    if (!matches) return std::nullopt;
    ranking.only = std::make_shared<const model::ObjectSet>(std::move(matches->objects));
  }
  const auto slice = top(analysis, ranking, query.page.offset(), query.page.size);
  if (!slice) return std::nullopt;
  if (query.page.is_past_end(slice->total)) return tl::unexpected(Error{ErrorCode::page_past_end});

  const auto prior_mean = model::average(ranking.prior.sum, ranking.prior.total);
  analysis.meta = {
      {"category", std::string(name_of(ranking.category))},
      {"metric", std::string(kMetricNames[static_cast<std::size_t>(ranking.displayed)])},
      {"prior_mean", average_cell(prior_mean)}};
  if (matches) {
    analysis.meta.emplace_back("search_is_limited",
                               matches->exceeds_limit || matches->exceeds_time);
  }
  Answer answer = list_answer(analysis, "top-rated", top_table(analysis, slice->items, ranking));
  add_page_headers(answer, analysis.call, query.page, slice->total);
  return answer;
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

// The days before the period that can have ratings.
std::optional<analytics::DayRange> rated_days_before(const Analysis& analysis) {
  const auto before = days_before(analysis.filter.days);
  if (!before || !analysis.first_day || before->last < *analysis.first_day) return std::nullopt;
  return analytics::DayRange{std::max(before->first, *analysis.first_day),
                             std::min(before->last, analysis.today + std::chrono::days(1))};
}

// The most rated objects by their ratings in one category only.
std::optional<std::vector<ObjectSums>> most_rated_in_category(
    Analysis& analysis, Category category, std::shared_ptr<const model::ObjectSet> hidden) {
  analytics::RankingQuery ranking;
  ranking.order_by = Metric::total;
  ranking.category = category;
  ranking.hidden = std::move(hidden);
  const auto slice = top(analysis, ranking, 0, std::int64_t{kOverviewLength});
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

// REQUIRES: the filter has a type.
Attempt list_overview(Analysis& analysis) {
  const auto rated = most_rated(analysis);
  if (!rated) return std::nullopt;
  std::vector<Object> objects;
  objects.reserve(rated->size());
  for (const ObjectSums& one : *rated) objects.push_back(one.object);
  const bool has_before = !analysis.filter.is_all;
  const SumsByObject before =
      has_before ? sums_of(analysis, objects, rated_days_before(analysis)) : SumsByObject();

  const Titles titles(analysis, objects);
  Table table{{"object_id", "object_type"}, {}};
  Titles::add_columns(table);
  table.columns.emplace_back("total");
  add_category_columns(table);
  table.columns.insert(table.columns.end(), {"previous_total", "change"});
  for (const auto& [object, sums] : *rated) {
    std::vector<Cell> row = {object.id, object.type};
    titles.add_cells(row, object);
    const std::int64_t total = total_of(sums);
    row.emplace_back(total);
    add_category_cells(row, sums);
    const auto found = before.find(object);
    const std::int64_t earlier = found == before.end() ? 0 : total_of(found->second);
    row.push_back(has_before ? Cell(earlier) : Cell());
    row.push_back(has_before ? Cell(total - earlier) : Cell());
    table.rows.push_back(std::move(row));
  }
  return list_answer(analysis, "top-posts-overview", table);
}

}  // namespace

Result top_rated(const App& app, const Call& call) {
  Fields fields(call.parameters);
  const TopQuery query = read_top_query(fields);
  return analyse(app, call, fields, query.shared,
                 [&](Analysis& analysis) { return list_top(analysis, query); });
}

Result top_posts_overview(const App& app, const Call& call) {
  Fields fields(call.parameters);
  AnalyticsQuery query = read_analytics_query(fields);
  if (!query.object_type) query.object_type = "post";
  reject_page(fields, base::Message("page is not supported: the list has ten posts. GET "
                                    "/analytics/top-rated lists all."));

  return analyse(app, call, fields, query, list_overview);
}

}  // namespace api
