#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analytics/ranking.h"

namespace analytics {

// Completes "ranking" and "filter". Both get the filter's category, or else the most used category
// in "in_period". The ranking's prior becomes the mean of "of_site", with the weight of
// "prior_weight" ratings.
void prepare_ranking(RankingQuery& ranking, RatingFilter& filter, const SumsByCategory& in_period,
                     const SumsByCategory& of_site, std::int64_t prior_weight);

// Ranks objects by a RankingQuery (analytics/ranking.h). Compares exact fractions, so different
// values are never equal. Used by one thread.
class Ranker {
 public:
  // "ranking" must outlive this object.
  explicit Ranker(const RankingQuery& ranking) : ranking_(ranking) {}

  // Adds an object. Objects without ratings, and objects that the query does not admit, are
  // skipped. REQUIRES: types are added in their order.
  void add(std::string_view type, std::uint64_t id, const Sums& sums);

  // Returns a page of the admitted objects. Skips "offset" objects and returns at most "limit"
  // objects. REQUIRES: called at most once.
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

// Returns a page of the ranking for objects with these sums, as Ranker does.
[[nodiscard]] Slice<RankedObject> rank(const SumsByTypeAndId& objects, const RankingQuery& ranking,
                                       std::int64_t offset, std::int64_t limit);

// Returns the objects with most ratings in all categories together, at most "limit" objects. Omits
// "hidden" objects. Objects with the same number of ratings are ordered by id and type.
[[nodiscard]] std::vector<ObjectSums> most_rated(const SumsByTypeAndId& objects,
                                                 const model::ObjectSet& hidden, std::size_t limit);

// Returns how many objects of each type have ratings.
[[nodiscard]] std::map<std::string, std::int64_t> count_rated(const SumsByTypeAndId& objects);

}  // namespace analytics
