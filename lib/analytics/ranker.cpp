#include "analytics/ranker.h"

#include "analytics/top_n.h"

namespace analytics {

void prepare_ranking(RankingQuery& ranking, RatingFilter& filter, const SumsByCategory& in_period,
                     const SumsByCategory& of_site, std::int64_t prior_weight) {
  ranking.category = filter.category.value_or(most_used(in_period));
  filter.category = ranking.category;
  const Sums& all = of_site.at(static_cast<std::size_t>(ranking.category));
  ranking.prior = {all.sum, all.total, prior_weight};
}

void Ranker::add(std::string_view type, std::uint64_t id, const Sums& sums) {
  if (sums.total < std::max<std::int64_t>(ranking_.min_ratings, 1)) return;
  const auto& exclude = ranking_.exclude;
  if (std::find(exclude.begin(), exclude.end(), id) != exclude.end()) return;
  if (ranking_.hidden != nullptr && ranking_.hidden->contains(type, id)) return;
  if (ranking_.only != nullptr && !ranking_.only->contains(type, id)) return;
  if (model::is_facet(type, ranking_.without)) return;
  if (types_.empty() || types_.back() != type) types_.emplace_back(type);
  entries_.push_back({rank_of(ranking_.order_by, ranking_.category, sums, ranking_.prior), sums, id,
                      types_.size() - 1});
}

Slice<RankedObject> Ranker::slice(std::int64_t offset, std::int64_t limit) {
  Slice<RankedObject> slice;
  slice.total = static_cast<std::int64_t>(entries_.size());
  const auto begin = entries_.begin() + std::min(offset, slice.total);
  const auto end = begin + std::min(limit, entries_.end() - begin);
  std::partial_sort(entries_.begin(), end, entries_.end(),
                    [this](const Entry& a, const Entry& b) { return comes_before(a, b); });
  for (auto entry = begin; entry != end; ++entry) {
    slice.items.push_back({{entry->id, types_[entry->type]}, entry->sums});
  }
  return slice;
}

bool Ranker::comes_before(const Entry& a, const Entry& b) const {
  const Wide left = a.value.numerator * b.value.denominator;
  const Wide right = b.value.numerator * a.value.denominator;
  if (left != right) return ranking_.ascending ? left < right : left > right;
  if (a.sums.total != b.sums.total) return a.sums.total > b.sums.total;
  return a.type != b.type ? a.type < b.type : a.id < b.id;
}

Slice<RankedObject> rank(const SumsByTypeAndId& objects, const RankingQuery& ranking,
                         std::int64_t offset, std::int64_t limit) {
  Ranker ranker(ranking);
  const auto category = static_cast<std::size_t>(ranking.category);
  for (const auto& [type, of_type] : objects) {
    for (const auto& [id, sums] : of_type) ranker.add(type, id, sums[category]);
  }
  return ranker.slice(offset, limit);
}

std::map<std::string, std::int64_t> count_rated(const SumsByTypeAndId& objects) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [type, of_type] : objects) {
    const auto rated = std::count_if(of_type.begin(), of_type.end(),
                                     [](const auto& one) { return total_of(one.second) > 0; });
    if (rated > 0) counts[type] = rated;
  }
  return counts;
}

std::vector<ObjectSums> most_rated(const SumsByTypeAndId& objects, const model::ObjectSet& hidden,
                                   std::size_t limit) {
  const auto comes_before = [](const ObjectSums& a, const ObjectSums& b) {
    const std::int64_t left = total_of(a.by_category);
    const std::int64_t right = total_of(b.by_category);
    return left != right ? left > right : a.object < b.object;
  };
  TopN<ObjectSums, decltype(comes_before)> best(limit, comes_before);
  for (const auto& [type, of_type] : objects) {
    for (const auto& [id, sums] : of_type) {
      if (total_of(sums) > 0 && !hidden.contains(type, id)) best.add({{id, type}, sums});
    }
  }
  return best.sorted();
}

}  // namespace analytics
