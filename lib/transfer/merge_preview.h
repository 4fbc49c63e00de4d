#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

#include "base/zone.h"
#include "db/connection.h"
#include "transfer/rating_merge.h"

namespace transfer {

// Counts the changes that merges (RatingMerge) would make, for dry runs. A preview remembers all
// aggregates, the time of each rating (about 65 bytes), and how many votes are added to each object
// on each day (about 50 bytes). Must be used by only one thread. Errors: same as db::Connection.
class MergePreview {
 public:
  using ObjectCounts = std::map<model::Object, MergeCounts>;

  // "connection" must outlive this object. If "by_object" is not nullptr, the outcomes are added to
  // it, and it must outlive this object, too.
  explicit MergePreview(db::Connection& connection, ObjectCounts* by_object = nullptr);

  // Return the results that the RatingMerge functions with the same names would return.
  MergeCounts merge(std::span<const StoredRating> ratings);
  MergeCounts merge_aggregates(std::span<const rollups::Aggregate> aggregates, bool is_restore);

 private:
  using Counter = std::size_t MergeCounts::*;

  struct SeenRating {
    base::Time rated_at;
    bool is_held = false;  // a held vote is not counted
  };

  Counter counter_of(const StoredRating& rating);
  // Adds "votes" to the number of counted votes on the rating's object on this day.
  void add_votes(const model::RatingKey& key, base::Time rated_at, int votes);
  Counter counter_of(const rollups::Aggregate& given, bool is_restore);
  void count(const model::Object& object, Counter outcome, MergeCounts& counts);

  db::Connection& connection_;
  const RatingMerge merge_;
  const base::ZoneHistory zones_;  // the time zones for the rollups' days
  ObjectCounts* const by_object_;
  base::Time aggregated_before_;
  std::unordered_map<std::uint64_t, SeenRating> seen_;
  // The numbers by which merges would change the counted votes, by a hash of object, category and
  // day.
  std::unordered_map<std::uint64_t, std::int64_t> more_votes_;
  BulkRows::Aggregates seen_aggregates_;
};

}  // namespace transfer
