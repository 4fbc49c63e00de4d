#pragma once

#include <cstdint>

#include "analytics/rating_filter.h"
#include "model/rating.h"

namespace analytics {

// Measures that rank objects with different numbers of ratings: a mean of few ratings is less
// certain than the same mean of many. analytics::Ranker orders by them, answers display them.
enum class Metric { bayesian, average, wilson, positive, negative, score, total };

// The assumption about an object before anybody rated it: the mean of all ratings of the site, with
// the weight of "weight" ratings.
struct Prior {
  std::int64_t sum = 0;  // of the site's ratings, in thousandths
  std::int64_t total = 0;
  std::int64_t weight = 0;
};

__extension__ using Wide = __int128;  // not standard C++, but in all supported compilers
struct Fraction {
  Wide numerator, denominator;
};

// The exact Bayesian average, multiplied by the number of the site's ratings (or 1 if there are
// none), which is the same for all objects.
[[nodiscard]] Fraction bayesian_fraction(std::int64_t sum, std::int64_t total, const Prior& prior);

// The Bayesian average (sum + weight * mean) / (total + weight), the "true Bayesian estimate" by
// which IMDb ranked its top list, in ten-thousandths, halves away from zero. Of an object's "sum"
// in thousandths. The prior's mean is 0 if it has no ratings. REQUIRES: total + weight > 0.
[[nodiscard]] std::int64_t bayesian(std::int64_t sum, std::int64_t total, const Prior& prior);

// model::wilson_bound() for the share of positive ratings; neutral ones are left out, and a scale
// value counts as a fraction of a positive rating. 0 if no ratings are left.
[[nodiscard]] double wilson_bound(model::Category category, const Sums& sums);

// What is displayed of an object's ratings in the category: a count, or an average in
// ten-thousandths. REQUIRES: sums.total > 0.
struct Figure {
  std::int64_t value = 0;
  bool is_average = false;
};
[[nodiscard]] Figure figure_of(Metric metric, model::Category category, const Sums& sums,
                               const Prior& prior);

}  // namespace analytics
