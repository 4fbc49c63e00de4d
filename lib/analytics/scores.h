#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analytics/rating_filter.h"
#include "model/rating.h"

namespace analytics {

// Metrics that rank objects with different numbers of ratings. A mean over few ratings is less
// certain than the same mean over many ratings. analytics::Ranker orders by these metrics, and
// responses contain them.
//
//   bayesian  (sum + weight * mean) / (total + weight), the "true Bayesian estimate" by which IMDb
//             ranked its top list, with the weight and the mean of the prior.
//   wilson    the Wilson bound for the share of positive ratings. Neutral ratings are left out,
//             and a scale value counts as a fraction of a positive rating. 0 if no ratings are
//             left.
//   score     positive minus negative.
enum class Metric { bayesian, average, wilson, positive, negative, score, total };
inline constexpr std::array<std::string_view, 7> kMetricNames = {
    "bayesian", "average", "wilson", "positive", "negative", "score", "total"};

// Returns whether ratings of the category may be positive or negative.
[[nodiscard]] constexpr bool has_signs(model::Category category) {
  return category != model::Category::scale;
}

[[nodiscard]] constexpr bool is_defined(Metric metric, model::Category category) {
  const bool needs_signs =
      metric == Metric::positive || metric == Metric::negative || metric == Metric::score;
  return !needs_signs || has_signs(category);
}

// The assumption about an object before anybody has rated it. It is the mean of all ratings on the
// site, with the weight of "weight" ratings. The mean is 0 if there are no ratings.
struct Prior {
  std::int64_t sum = 0;  // the sum of the site's ratings, in thousandths
  std::int64_t total = 0;
  std::int64_t weight = 0;
};

__extension__ using Wide = __int128;  // not standard C++, but available in all supported compilers
struct Fraction {
  Wide numerator, denominator;
};

// Returns the number by which objects are ordered. It is exact, except that the metric "wilson" has
// twelve decimals. The unit is the same for all objects. REQUIRES: sums.total > 0.
[[nodiscard]] Fraction rank_of(Metric metric, model::Category category, const Sums& sums,
                               const Prior& prior);

// The number that is displayed for an object's ratings in the category. It is a count, or an
// average in ten-thousandths, with halves rounded away from zero. REQUIRES for figure_of():
// sums.total > 0.
struct Figure {
  std::int64_t value = 0;
  bool is_average = false;
};
[[nodiscard]] Figure figure_of(Metric metric, model::Category category, const Sums& sums,
                               const Prior& prior);

}  // namespace analytics
