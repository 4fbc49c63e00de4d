#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

#include "base/zone.h"
#include "db/connection.h"
#include "transfer/rating_merge.h"

namespace transfer {

// For a dry run, counts the rows that RatingMerge would add, change or skip. A preview keeps in
// memory all aggregates, the time of each rating (about 65 bytes), and the number of added votes
// for each object and day (about 50 bytes). The class is not thread-safe. Throws the same
// exceptions as db::Connection.
class MergePreview {
 public:
  using ObjectCounts = std::map<model::Object, MergeCounts>;

  // "connection" and "by_object" must outlive this object. If "by_object" is not nullptr, the rows
  // of each object are also counted in "by_object".
  explicit MergePreview(db::Connection& connection, ObjectCounts* by_object = nullptr);

  // Each function returns the counts that the RatingMerge function with the same name would return.
  MergeCounts merge(std::span<const StoredRating> ratings);
  MergeCounts merge_aggregates(std::span<const rollups::Aggregate> aggregates, bool is_restore);

 private:
  using Counter = std::size_t MergeCounts::*;

  struct SeenRating {
    base::Time rated_at;
    bool is_held = false;  // held votes are not counted
  };

  Counter counter_of(const StoredRating& rating);
  // Adds "votes", which may be negative, to the number of counted votes for the object, category
  // and day.
  void add_votes(const model::RatingKey& key, base::Time rated_at, int votes);
  Counter counter_of(const rollups::Aggregate& given, bool is_restore);
  void count(const model::Object& object, Counter outcome, MergeCounts& counts);

  db::Connection& connection_;
  const RatingMerge merge_;
  const base::ZoneHistory zones_;  // the time zones for the rollups' days
  ObjectCounts* const by_object_;
  base::Time aggregated_before_;
  std::unordered_map<std::uint64_t, SeenRating> seen_;
  // For each object, category and day, the number of counted votes that merges would add. The map's
  // key is a hash of the object, category and day.
  std::unordered_map<std::uint64_t, std::int64_t> more_votes_;
  BulkRows::Aggregates seen_aggregates_;
};

}  // namespace transfer
