#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analytics/ranking.h"

namespace analytics {

// Completes "ranking" with the category of the filter, else the most used one of "in_period", which
// the filter then has too, and with the prior: the mean of "of_site" with "prior_weight".
void prepare_ranking(RankingQuery& ranking, RatingFilter& filter, const SumsByCategory& in_period,
                     const SumsByCategory& of_site, std::int64_t prior_weight);

// Ranks objects by a RankingQuery (analytics/ranking.h). Compares exact fractions, so different
// values are never equal. Used by one thread.
class Ranker {
 public:
  // "ranking" must outlive it.
  explicit Ranker(const RankingQuery& ranking) : ranking_(ranking) {}

  // Objects without ratings are skipped. REQUIRES: types are added in their order.
  void add(std::string_view type, std::uint64_t id, const Sums& sums);

  // "limit" of the objects that the query admits, after the first "offset". Called once.
  [[nodiscard]] Slice<RankedObject> slice(std::int64_t offset, std::int64_t limit);

 private:
  struct Entry {
    Fraction value;
    Sums sums;
    std::uint64_t id;
    std::size_t type;  // in types_
  };

  [[nodiscard]] bool comes_before(const Entry& a, const Entry& b) const;

  const RankingQuery& ranking_;
  std::vector<std::string> types_;  // in the order in which they came
  std::vector<Entry> entries_;
};

// A page of the ranking of objects with these sums, as by Ranker.
[[nodiscard]] Slice<RankedObject> rank(const SumsByTypeAndId& objects, const RankingQuery& ranking,
                                       std::int64_t offset, std::int64_t limit);

// The objects with most ratings of all categories, at most "limit", without "hidden" objects. Ties:
// by id and type.
[[nodiscard]] std::vector<ObjectSums> most_rated(const SumsByTypeAndId& objects,
                                                 const model::ObjectSet& hidden, std::size_t limit);

// How many objects of each type have ratings.
[[nodiscard]] std::map<std::string, std::int64_t> count_rated(const SumsByTypeAndId& objects);

}  // namespace analytics
