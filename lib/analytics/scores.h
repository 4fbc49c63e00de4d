#pragma once

#include <cstdint>

namespace analytics {

// Measures that rank objects with different numbers of ratings: a mean of few ratings is less
// certain than the same mean of many. Used by analytics::Ranker.

// The assumption about an object before anybody rated it: the mean of all ratings of the site, with
// the weight of "weight" ratings.
struct Prior {
  std::int64_t sum = 0;  // of the site's ratings, in thousandths
  std::int64_t total = 0;
  std::int64_t weight = 0;
};

// The Bayesian average (sum + weight * mean) / (total + weight), the "true Bayesian estimate" by
// which IMDb ranked its top list, in ten-thousandths, halves away from zero. Of an object's "sum"
// in thousandths. The prior's mean is 0 if it has no ratings. REQUIRES: total + weight > 0.
[[nodiscard]] std::int64_t bayesian(std::int64_t sum, std::int64_t total, const Prior& prior);

// model::wilson_bound() for the share of successes in "total" trials, in ten-thousandths.
// "successes" is in thousandths, so that a scale value counts as a fraction of one.
// REQUIRES: total > 0.
[[nodiscard]] std::int64_t wilson(std::int64_t successes, std::int64_t total);

}  // namespace analytics
