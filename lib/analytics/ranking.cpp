#include "analytics/ranking.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace analytics {
namespace {

using model::Category;

constexpr double kTenThousand = 1e4, kTwelveDecimals = 1e12;

// Returns a factor that turns all terms of the Bayesian average into integers.
std::int64_t multiplier(const Prior& prior) { return std::max<std::int64_t>(prior.total, 1); }

// Returns the lower end of the 95% Wilson score interval. "share" is the proportion of successes,
// from 0 to 1. "trials" must be positive. Wilson described the interval in "Probable inference, the
// law of succession, and statistical inference", Journal of the American Statistical Association 22
// (1927), pages 209 to 212.
double wilson_bound(double share, double trials) {
  constexpr double kQuantile = 1.959963984540054;  // the 97.5 % quantile of the normal distribution
  constexpr double kSquare = kQuantile * kQuantile;
  assert(trials > 0);
  const double deviation = std::sqrt((share * (1 - share) + kSquare / (4 * trials)) / trials);
  return (share + kSquare / (2 * trials) - kQuantile * deviation) / (1 + kSquare / trials);
}

double wilson(Category category, const Sums& sums) {
  const std::int64_t thousandths = has_signs(category) ? 1000 * sums.positive : sums.sum;
  const std::int64_t trials =
      category == Category::bipolar ? sums.positive + sums.negative : sums.total;
  if (trials == 0 || thousandths <= 0) return 0;
  const auto count = static_cast<double>(trials);
  return wilson_bound(static_cast<double>(thousandths) / 1000 / count, count);
}

// Converts a fraction in thousandths to ten-thousandths, and rounds the result to an integer.
std::int64_t rounded(const Fraction& exact) {
  const Wide tenfold = exact.numerator * 10;
  const Wide half = tenfold < 0 ? -exact.denominator : exact.denominator;
  return static_cast<std::int64_t>((2 * tenfold + half) / (2 * exact.denominator));
}

// Returns "sums" without the categories for which the metrics in "ranking" are not defined.
SumsByCategory with_metrics_of(const RankingQuery& ranking, SumsByCategory sums) {
  for (const Category category : model::kCategories) {
    if (is_defined(ranking.displayed, category) && is_defined(ranking.order_by, category)) continue;
    sums.at(static_cast<std::size_t>(category)) = {};
  }
  return sums;
}

}  // namespace

Fraction rank_of(Metric metric, Category category, const Sums& sums, const Prior& prior) {
  assert(sums.total > 0);
  switch (metric) {
    case Metric::bayesian:
      return {Wide{sums.sum} * multiplier(prior) + Wide{prior.weight} * prior.sum,
              Wide{sums.total} + prior.weight};
    case Metric::average:
      return {sums.sum, sums.total};
    case Metric::wilson:
      return {std::llround(wilson(category, sums) * kTwelveDecimals), 1};
    case Metric::positive:
      return {sums.positive, 1};
    case Metric::negative:
      return {sums.negative, 1};
    case Metric::score:
      return {sums.positive - sums.negative, 1};
    case Metric::total:
      break;
  }
  return {sums.total, 1};
}

Figure figure_of(Metric metric, Category category, const Sums& sums, const Prior& prior) {
  if (metric == Metric::wilson) {
    return {std::llround(wilson(category, sums) * kTenThousand), true};
  }
  Fraction exact = rank_of(metric, category, sums, prior);
  if (metric == Metric::bayesian) exact.denominator *= multiplier(prior);
  const bool is_average = metric == Metric::bayesian || metric == Metric::average;
  return {is_average ? rounded(exact) : static_cast<std::int64_t>(exact.numerator), is_average};
}

void prepare_ranking(RankingQuery& ranking, RatingFilter& filter, const SumsByCategory& in_period,
                     const SumsByCategory& of_site, std::int64_t prior_weight) {
  ranking.category = filter.category.value_or(most_used(with_metrics_of(ranking, in_period)));
  filter.category = ranking.category;
  const Sums& all = of_site.at(static_cast<std::size_t>(ranking.category));
  ranking.prior = {all.sum, all.total, prior_weight};
}

void Ranker::add(std::string_view type, std::uint64_t id, const Sums& sums) {
  if (sums.total < std::max<std::int64_t>(ranking_.min_ratings, 1)) return;
  const auto& exclude = ranking_.exclude;
  if (std::find(exclude.begin(), exclude.end(), id) != exclude.end()) return;
  if (ranking_.hidden != nullptr && ranking_.hidden->contains(type, id)) return;
  if (ranking_.only != nullptr && !ranking_.only->contains(type, id)) return;
  if (model::is_facet(type, ranking_.without)) return;
  if (types_.empty() || types_.back() != type) types_.emplace_back(type);
  entries_.push_back({rank_of(ranking_.order_by, ranking_.category, sums, ranking_.prior), sums, id,
                      types_.size() - 1});
}

Slice<RankedObject> Ranker::slice(std::int64_t offset, std::int64_t limit) {
  Slice<RankedObject> slice;
  slice.total = static_cast<std::int64_t>(entries_.size());
  const auto begin = entries_.begin() + std::min(offset, slice.total);
  const auto end = begin + std::min(limit, entries_.end() - begin);
  std::partial_sort(entries_.begin(), end, entries_.end(),
                    [this](const Entry& a, const Entry& b) { return comes_before(a, b); });
  for (auto entry = begin; entry != end; ++entry) {
    slice.items.push_back({{entry->id, types_[entry->type]}, entry->sums});
  }
  return slice;
}

bool Ranker::comes_before(const Entry& a, const Entry& b) const {
  const Wide left = a.value.numerator * b.value.denominator;
  const Wide right = b.value.numerator * a.value.denominator;
  if (left != right) return ranking_.ascending ? left < right : left > right;
  if (a.sums.total != b.sums.total) return a.sums.total > b.sums.total;
  return a.type != b.type ? a.type < b.type : a.id < b.id;
}

Slice<RankedObject> rank(const SumsByTypeAndId& objects, const RankingQuery& ranking,
                         std::int64_t offset, std::int64_t limit) {
  Ranker ranker(ranking);
  const auto category = static_cast<std::size_t>(ranking.category);
  for (const auto& [type, of_type] : objects) {
    for (const auto& [id, sums] : of_type) ranker.add(type, id, sums[category]);
  }
  return ranker.slice(offset, limit);
}

std::map<std::string, std::int64_t> count_rated(const SumsByTypeAndId& objects) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [type, of_type] : objects) {
    const auto rated = std::count_if(of_type.begin(), of_type.end(),
                                     [](const auto& one) { return total_of(one.second) > 0; });
    if (rated > 0) counts[type] = rated;
  }
  return counts;
}

std::vector<ObjectSums> most_rated(const SumsByTypeAndId& objects, const model::ObjectSet& hidden,
                                   std::size_t limit) {
  const auto comes_before = [](const ObjectSums& a, const ObjectSums& b) {
    const std::int64_t left = total_of(a.by_category);
    const std::int64_t right = total_of(b.by_category);
    return left != right ? left > right : a.object < b.object;
  };
  TopN<ObjectSums, decltype(comes_before)> best(limit, comes_before);
  for (const auto& [type, of_type] : objects) {
    for (const auto& [id, sums] : of_type) {
      if (total_of(sums) > 0 && !hidden.contains(type, id)) best.add({{id, type}, sums});
    }
  }
  return best.sorted();
}

}  // namespace analytics
