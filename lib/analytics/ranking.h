#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analytics/rating_sums.h"
#include "model/object_set.h"
#include "model/rating.h"

namespace analytics {

// How objects are ranked: analytics::Ranker orders by it; analytics/scores.h defines the measures
// wilson and bayesian.
enum class Metric { bayesian, average, wilson, positive, negative, score, total };

struct RankingQuery {
  Metric order_by = Metric::bayesian;
  bool ascending = false;
  bool is_bipolar = false;  // wilson leaves neutral ratings out
  bool is_scale = false;    // wilson takes values as fractions
  std::int64_t least_total = 1;
  std::vector<std::uint64_t> exclude;                   // ids, of any type
  std::shared_ptr<const model::ObjectSet> hidden = {};  // may be none
  std::shared_ptr<const model::ObjectSet> only = {};    // none: all that are not hidden
  // The prior of bayesian: the sum and number of the site's ratings, and their weight.
  std::int64_t prior_sum = 0, prior_total = 0, prior_weight = 0;
};

struct RankedObject {
  model::Object object;
  Sums sums;
};

// A page of a list, and the length of the whole list.
template <typename Item>
struct Slice {
  std::vector<Item> items;
  std::int64_t total = 0;
};

// The ratings of one object in each category.
struct ObjectSums {
  model::Object object;
  SumsByCategory by_category;
};

}  // namespace analytics
