#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analytics/rating_sums.h"
#include "analytics/scores.h"
#include "model/facets.h"
#include "model/object_set.h"
#include "model/rating.h"

namespace analytics {

// How objects are ranked. prepare_ranking() completes a query, and analytics::Ranker uses it.
struct RankingQuery {
  Metric displayed = Metric::bayesian;
  Metric order_by = Metric::bayesian;
  bool ascending = false;
  model::Category category = model::Category::binary;  // the category for all sums
  std::int64_t min_ratings = 1;
  std::vector<std::uint64_t> exclude;                   // ids, for any type
  model::FacetNames without = {};                       // facets, for any type
  std::shared_ptr<const model::ObjectSet> hidden = {};  // nullptr: no objects are hidden
  std::shared_ptr<const model::ObjectSet> only = {};    // nullptr: all objects that are not hidden
  Prior prior = {};                                     // for the metric "bayesian"

  // Returns the number that is displayed for an object.
  [[nodiscard]] Figure figure(const Sums& sums) const {
    return figure_of(displayed, category, sums, prior);
  }
};

struct RankedObject {
  model::Object object;
  Sums sums;
};

// A page of a list, and the total length of the list.
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
