#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "db/connection.h"
#include "transfer/rating_merge.h"

namespace transfer {

// Counts what merges (RatingMerge) would do, for dry runs. It remembers the time of each rating,
// about 60 bytes each. Used by one thread. Errors: as db::Connection.
class MergePreview {
 public:
  // "connection" must outlive this.
  explicit MergePreview(db::Connection& connection);

  MergeCounts merge(std::span<const StoredRating> ratings);

 private:
  std::size_t MergeCounts::*outcome_of(const StoredRating& rating);

  db::Connection& connection_;
  const base::Time rolled_up_before_;
  std::unordered_map<std::uint64_t, base::Time> seen_;
};

}  // namespace transfer
