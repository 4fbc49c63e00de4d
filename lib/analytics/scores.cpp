#include "analytics/scores.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace analytics {
namespace {

using model::Category;

constexpr double kTenThousand = 1e4, kTwelveDecimals = 1e12;

// The factor that makes the prior's share in the Bayesian average a ratio of integers.
std::int64_t multiplier(const Prior& prior) { return std::max<std::int64_t>(prior.total, 1); }

// Returns the lower end of the Wilson score interval at 95 %. "share" is the share of successes, 0
// to 1. (E. B. Wilson, Probable inference, the law of succession, and statistical inference,
// Journal of the American Statistical Association 22, 1927, pp. 209-212.) REQUIRES: trials > 0.
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

// Rounds a fraction in thousandths to ten-thousandths.
std::int64_t rounded(const Fraction& exact) {
  const Wide tenfold = exact.numerator * 10;
  const Wide half = tenfold < 0 ? -exact.denominator : exact.denominator;
  return static_cast<std::int64_t>((2 * tenfold + half) / (2 * exact.denominator));
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

}  // namespace analytics
