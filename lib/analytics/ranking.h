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

// Metrics for ranking objects that have different numbers of ratings. A mean of few ratings is less
// reliable than the same mean of many ratings.
//
// The "bayesian" metric is (sum + weight * mean) / (total + weight), which IMDb called the "true
// Bayesian estimate". The weight and the mean come from the Prior struct. The "wilson" metric is
// the Wilson bound for the share of positive ratings. For the Wilson bound, neutral ratings are
// ignored, and a scale value counts as a fraction of a positive rating. The Wilson bound is 0 if
// all ratings are neutral. The "score" metric is the number of positive ratings minus the number of
// negative ratings.
enum class Metric { bayesian, average, wilson, positive, negative, score, total };
inline constexpr std::array<std::string_view, 7> kMetricNames = {
    "bayesian", "average", "wilson", "positive", "negative", "score", "total"};

// Returns whether the category distinguishes positive and negative ratings.
[[nodiscard]] constexpr bool has_signs(model::Category category) {
  return category != model::Category::scale;
}

[[nodiscard]] constexpr bool is_defined(Metric metric, model::Category category) {
  const bool needs_signs =
      metric == Metric::positive || metric == Metric::negative || metric == Metric::score;
  return !needs_signs || has_signs(category);
}

// A Bayesian average treats each object as if it had "weight" additional ratings with the mean of
// the site's ratings in the report's period. If there are no such ratings, the mean is 0.
struct Prior {
  std::int64_t sum = 0;  // the sum of these ratings, in thousandths
  std::int64_t total = 0;
  std::int64_t weight = 0;
};

__extension__ using Wide = __int128;  // not standard C++, but available in all supported compilers
struct Fraction {
  Wide numerator, denominator;
};

// Returns the number by which objects are ordered. The number is exact, except for the "wilson"
// metric, which is rounded to twelve decimal places. The number of ratings, sums.total, must be
// positive.
[[nodiscard]] Fraction rank_of(Metric metric, model::Category category, const Sums& sums,
                               const Prior& prior);

// The count or average displayed for an object's ratings in a category. An average is in units of
// 1/10000, rounded half away from zero. For figure_of(), sums.total must be positive.
struct Figure {
  std::int64_t value = 0;
  bool is_average = false;
};
[[nodiscard]] Figure figure_of(Metric metric, model::Category category, const Sums& sums,
                               const Prior& prior);

// A query for ranked objects. The function prepare_ranking() completes the query, and the Ranker
// class executes it.
struct RankingQuery {
  Metric displayed = Metric::bayesian;
  Metric order_by = Metric::bayesian;
  bool ascending = false;
  model::Category category = model::Category::binary;  // the category of all sums
  std::int64_t min_ratings = 1;
  std::vector<std::uint64_t> exclude;                   // ids that are excluded for any type
  model::FacetNames without = {};                       // facets that are excluded for any type
  std::shared_ptr<const model::ObjectSet> hidden = {};  // if nullptr, no objects are hidden
  // The objects to rank. If "only" is nullptr, all objects that are not hidden are ranked.
  std::shared_ptr<const model::ObjectSet> only = {};
  Prior prior = {};  // for the metric "bayesian"

  // Returns the number displayed for an object.
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

// Selects the "size" items that come first in the sort order. A Before function object returns
// whether its first argument precedes its second. Not safe for concurrent use.
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

// Sets the category and the prior of "ranking", and the category of "filter". If the filter has no
// category, selects the category with the most ratings in "in_period", among the categories for
// which the metrics in "ranking" are defined. The prior has the mean of "of_site" and a weight of
// "prior_weight" ratings.
void prepare_ranking(RankingQuery& ranking, RatingFilter& filter, const SumsByCategory& in_period,
                     const SumsByCategory& of_site, std::int64_t prior_weight);

// Ranks objects as specified by a RankingQuery. Compares exact fractions, so rounding never makes
// two different values equal. Not safe for concurrent use.
class Ranker {
 public:
  // "ranking" must outlive this object.
  explicit Ranker(const RankingQuery& ranking) : ranking_(ranking) {}

  // Adds an object. Skips objects without ratings and objects that the query excludes. Objects must
  // be added in the order of their types.
  void add(std::string_view type, std::uint64_t id, const Sums& sums);

  // Returns a page of the ranked objects. Skips "offset" objects and returns at most "limit"
  // objects. Must be called at most once.
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

// Ranks all objects in "objects" with a Ranker and returns the requested page.
[[nodiscard]] Slice<RankedObject> rank(const SumsByTypeAndId& objects, const RankingQuery& ranking,
                                       std::int64_t offset, std::int64_t limit);

// Returns the objects with the most ratings across all categories, up to "limit" objects. Omits the
// objects in "hidden". Objects with the same number of ratings are ordered by id and type.
[[nodiscard]] std::vector<ObjectSums> most_rated(const SumsByTypeAndId& objects,
                                                 const model::ObjectSet& hidden, std::size_t limit);

// Returns how many objects of each type have ratings.
[[nodiscard]] std::map<std::string, std::int64_t> count_rated(const SumsByTypeAndId& objects);

}  // namespace analytics
