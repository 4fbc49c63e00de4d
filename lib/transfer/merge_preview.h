#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

#include "base/zone_history.h"
#include "db/connection.h"
#include "transfer/rating_merge.h"

namespace transfer {

// Counts what merges (RatingMerge) would do, for dry runs. It remembers the time of each rating,
// which takes about 60 bytes for each, and all aggregates. Used by one thread. Errors: as
// db::Connection.
class MergePreview {
 public:
  using ObjectCounts = std::map<model::Object, MergeCounts>;

  // "connection" must outlive this. Adds the outcomes to "by_object" unless it is nullptr.
  explicit MergePreview(db::Connection& connection, ObjectCounts* by_object = nullptr);

  // Return what the functions of RatingMerge with the same names would return. To decide about
  // aggregates of retention, merge_aggregates() looks at the stored votes only, not at the votes
  // that were passed to merge().
  MergeCounts merge(std::span<const StoredRating> ratings);
  MergeCounts merge_aggregates(std::span<const rollups::Aggregate> aggregates, bool is_restore);

 private:
  using Counter = std::size_t MergeCounts::*;

  Counter counter_of(const StoredRating& rating);
  Counter counter_of(const rollups::Aggregate& given, bool is_restore);
  void count(const model::Object& object, Counter outcome, MergeCounts& counts);

  db::Connection& connection_;
  const RatingMerge merge_;
  const base::ZoneHistory zones_;  // of the rollups' days
  ObjectCounts* const by_object_;
  base::Time aggregated_before_;
  std::unordered_map<std::uint64_t, base::Time> seen_;
  BulkRows::Aggregates seen_aggregates_;
};

}  // namespace transfer
