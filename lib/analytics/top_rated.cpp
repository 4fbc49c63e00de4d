#include "analytics/top_rated.h"

#include <memory>
#include <utility>
#include <vector>

namespace analytics {
namespace {

// The maximum number of matching titles that are ranked.
constexpr std::size_t kMaxTitles = 5000;

// Returns the objects whose titles contain the words. Returns nothing if the search needs a long
// scan that is refused.
std::optional<cms::TitleMatches> find_titles(Report& report, const std::string& words) {
  const model::Settings& settings = report.site.settings;
  cms::TitleSearch search;
  search.words = words;
  search.object_type = report.filter.object_type;
  search.facets = settings.facets;
  search.is_for_everybody = !report.site.sees_unpublished;
  for (const std::string& type : settings.enabled_object_types) {
    search.further_public_types.emplace_back(cms::own_type(type));
  }
  search.limit = kMaxTitles;
  const auto find = [&] {
    search.time_limit = report.search_time().left();
    return report.site.cms.rated_with_title(report.connection(), search);
  };
  auto matches = find();
  if (!matches.exceeds_time || report.is_long_scan()) return matches;
  if (!report.begin_long_scan()) return std::nullopt;
  return find();
}

// Sets the category and the prior of "ranking", and the category of the report's filter.
void complete(RankingQuery& ranking, Report& report) {
  const model::Settings& settings = report.site.settings;
  const auto& type = report.filter.object_type;
  const auto& all = type && model::is_facet(*type, settings.facets) ? report.sums_of_site()
                                                                    : report.sums_of_parents();
  prepare_ranking(ranking, report.filter, type ? report.sums_in_period() : all, all,
                  settings.bayesian_prior_weight);
  if (!type) ranking.without = settings.facets;
}

bool is_past_end(std::int64_t offset, std::int64_t total) { return offset > 0 && offset >= total; }

std::vector<model::Object> objects_of(const std::vector<RankedObject>& ranked) {
  std::vector<model::Object> objects;
  objects.reserve(ranked.size());
  for (const RankedObject& one : ranked) objects.push_back(one.object);
  return objects;
}

}  // namespace

std::optional<Slice<RankedObject>> ranked(Report& report, const RankingQuery& ranking,
                                          std::int64_t offset, std::int64_t limit) {
  return report.materialized_or_summed(
      [&](const ListQuery& list_query) {
        return materialized_top(report.connection(), list_query, report.filter, ranking, offset,
                                limit);
      },
      has_signs(ranking.category) ? Signs::included : Signs::omitted,
      [&](const SumsByTypeAndId& sums) { return rank(sums, ranking, offset, limit); });
}

std::optional<tl::expected<TopRated, TopRatedError>> top_rated(Report& report,
                                                               TopRatedQuery query) {
  TopRated top;
  RankingQuery& ranking = top.ranking = std::move(query.ranking);
  complete(ranking, report);
  if (!is_defined(ranking.displayed, ranking.category)) {
    return tl::unexpected(TopRatedError::undefined_metric);
  }
  if (!is_defined(ranking.order_by, ranking.category)) {
    return tl::unexpected(TopRatedError::undefined_order);
  }
  if (is_past_end(query.offset, ratings_in_period(report))) {
    return tl::unexpected(TopRatedError::past_end);
  }
  ranking.hidden = hidden_objects(report);
  if (ranking.hidden == nullptr) return std::nullopt;
  if (query.search) {
    auto matches = find_titles(report, *query.search);
    if (!matches) return std::nullopt;
    top.search_is_limited = matches->exceeds_limit || matches->exceeds_time;
    ranking.only = std::make_shared<const model::ObjectSet>(std::move(matches->objects));
  }
  auto slice = ranked(report, ranking, query.offset, query.limit);
  if (!slice) return std::nullopt;
  if (is_past_end(query.offset, slice->total)) return tl::unexpected(TopRatedError::past_end);
  top.objects = *std::move(slice);
  top.titles.add(report.connection(), report.site.cms, report.site.settings,
                 report.site.sees_unpublished, objects_of(top.objects.items));
  return top;
}

}  // namespace analytics
