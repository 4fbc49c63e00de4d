#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "db/connection.h"
#include "model/rating.h"
#include "transfer/bulk_ratings.h"

namespace imports {

// Counts what merges of BulkRatings would do, for dry runs. It remembers the time of each rating,
// about 60 bytes each. Used by one thread. Errors: as db::Connection.
class MergePreview {
 public:
  // "connection" must outlive this.
  MergePreview(db::Connection& connection, const transfer::BulkRatings& bulk);

  transfer::MergeCounts merge(std::span<const transfer::StoredRating> ratings);

 private:
  std::size_t transfer::MergeCounts::*outcome_of(const transfer::StoredRating& rating);

  db::Connection& connection_;
  const base::Time rolled_up_before_;
  std::unordered_map<std::uint64_t, base::Time> seen_;
};

}  // namespace imports
