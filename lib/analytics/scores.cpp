#include "analytics/scores.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "model/averages.h"
#include "model/wilson.h"

namespace analytics {
namespace {

constexpr double kTenThousand = 1e4;

std::int64_t multiplier(const Prior& prior) { return std::max<std::int64_t>(prior.total, 1); }

}  // namespace

Fraction bayesian_fraction(std::int64_t sum, std::int64_t total, const Prior& prior) {
  const Wide mean = prior.total > 0 ? prior.sum : 0;
  return {Wide{sum} * multiplier(prior) + prior.weight * mean, Wide{total} + prior.weight};
}

std::int64_t bayesian(std::int64_t sum, std::int64_t total, const Prior& prior) {
  assert(total + prior.weight > 0);
  // Computed as one fraction, so only the result is rounded.
  const Fraction exact = bayesian_fraction(sum, total, prior);
  const Wide denominator = exact.denominator * multiplier(prior);
  const Wide tenfold = exact.numerator * 10;
  const Wide half = tenfold < 0 ? -denominator : denominator;
  return static_cast<std::int64_t>((2 * tenfold + half) / (2 * denominator));
}

double wilson_bound(model::Category category, const Sums& sums) {
  using model::Category;
  const std::int64_t thousandths = category == Category::scale ? sums.sum : 1000 * sums.positive;
  const std::int64_t trials =
      category == Category::bipolar ? sums.positive + sums.negative : sums.total;
  if (trials == 0 || thousandths <= 0) return 0;
  const auto count = static_cast<double>(trials);
  return model::wilson_bound(static_cast<double>(thousandths) / 1000 / count, count);
}

Figure figure_of(Metric metric, model::Category category, const Sums& sums, const Prior& prior) {
  switch (metric) {
    case Metric::bayesian:
      return {bayesian(sums.sum, sums.total, prior), true};
    case Metric::average:
      return {model::average(sums.sum, sums.total).value_or(0), true};
    case Metric::wilson:
      return {std::llround(wilson_bound(category, sums) * kTenThousand), true};
    case Metric::positive:
      return {sums.positive};
    case Metric::negative:
      return {sums.negative};
    case Metric::score:
      return {sums.positive - sums.negative};
    case Metric::total:
      break;
  }
  return {sums.total};
}

}  // namespace analytics
