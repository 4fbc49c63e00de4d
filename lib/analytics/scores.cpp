#include "analytics/scores.h"

#include <cassert>
#include <cmath>

#include "model/wilson.h"

namespace analytics {
namespace {

__extension__ using Wide = __int128;  // not standard C++, but in all supported compilers

}  // namespace

std::int64_t bayesian(std::int64_t sum, std::int64_t total, const Prior& prior) {
  assert(total + prior.weight > 0);
  // Computed as one fraction, so only the result is rounded.
  const bool has_mean = prior.total > 0;
  const Wide numerator = has_mean ? Wide{sum} * prior.total + Wide{prior.weight} * prior.sum : sum;
  const Wide denominator = Wide{total + prior.weight} * (has_mean ? prior.total : 1);
  const Wide tenfold = numerator * 10;
  const Wide half = tenfold < 0 ? -denominator : denominator;
  return static_cast<std::int64_t>((2 * tenfold + half) / (2 * denominator));
}

std::int64_t wilson(std::int64_t successes, std::int64_t total) {
  assert(total > 0);
  if (successes <= 0) return 0;
  const auto count = static_cast<double>(total);
  const double share = static_cast<double>(successes) / 1000 / count;
  return std::llround(model::wilson_bound(share, count) * 10000);
}

}  // namespace analytics
