#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "analytics/ranking.h"
#include "analytics/report.h"

namespace analytics {

struct TopRatedQuery {
  // The requested ranking. The function top_rated() fills in the category, the prior, and the
  // objects to include or omit.
  RankingQuery ranking;
  std::optional<std::string> search = {};  // words in titles
  std::int64_t offset = 0;
  std::int64_t limit = 10;
};

struct TopRated {
  Slice<RankedObject> objects;
  // The ranking from the query, completed by top_rated().
  RankingQuery ranking;
  ObjectTitles titles;
  // Whether the search skipped some objects, or empty if the query contains no search.
  std::optional<bool> search_is_limited;
};

enum class TopRatedError {
  undefined_metric,  // the displayed metric is not defined for the category
  undefined_order,   // the metric that determines the order is not defined for the category
  past_end,          // there are fewer objects than "offset"
};

// Returns the objects with the best or the most ratings for the report's period, category and type.
// Returns nothing if a long scan is needed but is refused or takes too long. Must be called only
// after report.begin() has returned true.
[[nodiscard]] std::optional<tl::expected<TopRated, TopRatedError>> top_rated(Report& report,
                                                                             TopRatedQuery query);

// Returns a page of the ranking for all objects in the report. Returns nothing in the same cases as
// top_rated().
[[nodiscard]] std::optional<Slice<RankedObject>> ranked(Report& report, const RankingQuery& ranking,
                                                        std::int64_t offset, std::int64_t limit);

}  // namespace analytics
