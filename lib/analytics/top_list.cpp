#include "analytics/top_list.h"

namespace analytics {

void prepare_ranking(RankingQuery& ranking, RatingFilter& filter, const SumsByCategory& in_period,
                     const SumsByCategory& of_site, std::int64_t prior_weight) {
  ranking.category = filter.category.value_or(most_used(in_period));
  filter.category = ranking.category;
  const Sums& all = of_site.at(static_cast<std::size_t>(ranking.category));
  ranking.prior = {all.sum, all.total, prior_weight};
}

}  // namespace analytics
