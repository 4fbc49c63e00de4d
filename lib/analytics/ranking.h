#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analytics/rating_filter.h"
#include "analytics/rating_sums.h"
#include "model/facets.h"
#include "model/object_set.h"
#include "model/rating.h"

namespace analytics {

// Metrics that rank objects with different numbers of ratings. A mean over few ratings is less
// certain than the same mean over many ratings. analytics::Ranker orders by these metrics, and
// responses contain them.
//
//   bayesian  (sum + weight * mean) / (total + weight), the "true Bayesian estimate" with which
//             IMDb ranked its top list; "weight" and "mean" come from the prior.
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

// The assumption about an object that nobody has rated yet. It is the mean of all ratings on the
// site and counts as much as "weight" ratings. The mean is 0 if there are no ratings.
struct Prior {
  std::int64_t sum = 0;  // the sum of the site's ratings, in thousandths
  std::int64_t total = 0;
  std::int64_t weight = 0;
};

__extension__ using Wide = __int128;  // not standard C++, but available in all supported compilers
struct Fraction {
  Wide numerator, denominator;
};

// Returns the number by which objects are ordered. The number is exact, except that the metric
// "wilson" is rounded to twelve decimals. The unit is the same for all objects. REQUIRES:
// sums.total > 0.
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

// How objects are ranked. prepare_ranking() completes a query, and analytics::Ranker uses it.
struct RankingQuery {
  Metric displayed = Metric::bayesian;
  Metric order_by = Metric::bayesian;
  bool ascending = false;
  model::Category category = model::Category::binary;  // the category of all sums
  std::int64_t min_ratings = 1;
  std::vector<std::uint64_t> exclude;                   // ids that are excluded for any type
  model::FacetNames without = {};                       // facets that are excluded for any type
  std::shared_ptr<const model::ObjectSet> hidden = {};  // if nullptr, no objects are hidden
  // If nullptr, all objects that are not hidden.
  std::shared_ptr<const model::ObjectSet> only = {};
  Prior prior = {};  // for the metric "bayesian"

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

// Selects the items that come first in an order, at most "size" items, from a stream of items. A
// "Before" object returns whether its first argument comes before its second argument. Must be used
// by only one thread.
template <typename Item, typename Before>
class TopN {
 public:
  TopN(std::size_t size, Before before) : size_(size), before_(std::move(before)) {}

  void add(const Item& item) {
    if (items_.size() == size_) {
      if (!before_(item, items_.front())) return;
      std::pop_heap(items_.begin(), items_.end(), before_);
      items_.pop_back();
    }
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), before_);  // the last item is at the front
  }

  [[nodiscard]] std::vector<Item> sorted() const {
    std::vector<Item> items = items_;
    std::sort_heap(items.begin(), items.end(), before_);
    return items;
  }

 private:
  std::size_t size_;
  Before before_;
  std::vector<Item> items_;
};

// Completes "ranking" and "filter". Both get the filter's category or, if the filter has no
// category, the most used category in "in_period". The ranking's prior becomes the mean of
// "of_site" and counts as much as "prior_weight" ratings.
void prepare_ranking(RankingQuery& ranking, RatingFilter& filter, const SumsByCategory& in_period,
                     const SumsByCategory& of_site, std::int64_t prior_weight);

// Ranks objects by a RankingQuery. Compares exact fractions, so different values are never equal.
// Must be used by only one thread.
class Ranker {
 public:
  // "ranking" must outlive this object.
  explicit Ranker(const RankingQuery& ranking) : ranking_(ranking) {}

  // Adds an object. Objects without ratings, and objects that the query does not admit, are
  // skipped. REQUIRES: types are added in order.
  void add(std::string_view type, std::uint64_t id, const Sums& sums);

  // Returns a page of the admitted objects. Skips "offset" objects and returns at most "limit"
  // objects. REQUIRES: slice() is called at most once.
  [[nodiscard]] Slice<RankedObject> slice(std::int64_t offset, std::int64_t limit);

 private:
  struct Entry {
    Fraction value;
    Sums sums;
    std::uint64_t id;
    std::size_t type;  // the index in types_
  };

  [[nodiscard]] bool comes_before(const Entry& a, const Entry& b) const;

  const RankingQuery& ranking_;
  std::vector<std::string> types_;  // in the order in which they were added
  std::vector<Entry> entries_;
};

// Returns the page that a Ranker would return after all of these objects have been added.
[[nodiscard]] Slice<RankedObject> rank(const SumsByTypeAndId& objects, const RankingQuery& ranking,
                                       std::int64_t offset, std::int64_t limit);

// Returns the objects with the most ratings in all categories together, at most "limit" objects.
// Omits the objects in "hidden". Objects with the same number of ratings are ordered by id and
// type.
[[nodiscard]] std::vector<ObjectSums> most_rated(const SumsByTypeAndId& objects,
                                                 const model::ObjectSet& hidden, std::size_t limit);

// Returns how many objects of each type have ratings.
[[nodiscard]] std::map<std::string, std::int64_t> count_rated(const SumsByTypeAndId& objects);

}  // namespace analytics
