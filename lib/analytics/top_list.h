#pragma once

#include <cstdint>

#include "analytics/ranking.h"
#include "analytics/rating_filter.h"
#include "analytics/rating_sums.h"
#include "analytics/scores.h"

namespace analytics {

// DESIGN. A list of the best objects is made in three steps: prepare_ranking(); a page of objects
// by MaterializedLists::top() or ObjectAnalytics::top(); displayed_figure() of each of them.

// Completes "ranking" with the category of the filter, else the most used one of "in_period", which
// the filter then has too, and with the prior: the mean of "of_site" with "prior_weight".
void prepare_ranking(RankingQuery& ranking, RatingFilter& filter, const SumsByCategory& in_period,
                     const SumsByCategory& of_site, std::int64_t prior_weight);

[[nodiscard]] inline Figure displayed_figure(const RankingQuery& ranking, const Sums& sums) {
  return figure_of(ranking.displayed, ranking.category, sums, ranking.prior);
}

}  // namespace analytics
