#pragma once

#include <cstddef>
#include <span>

#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// Deletes ratings and aggregates together with the data that depend on them (transfer/bulk_rows.h).
class RatingRemoval {
 public:
  // "connection" must outlive this object.
  explicit RatingRemoval(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Deletes the votes with these keys that were last changed before "before", including held votes.
  // Returns the number of deleted votes. Also deletes the activity that is known from these votes,
  // and all data about voters who have no votes left. Rows for days whose sums are 0 stay until
  // rollups::delete_empty_days() is called. REQUIRES: at most kRatingsAtOnce keys.
  std::size_t remove(std::span<const model::RatingKey> keys,
                     base::Time before = base::Time::max()) const;

  // Deletes all data about voters in "voters" who have no votes and whose last active day is before
  // "before". Returns how many voters were deleted. REQUIRES: at most kRatingsAtOnce voters.
  std::size_t remove_unused_voters(std::span<const model::VoterId> voters,
                                   base::Day before = base::Day::max()) const;

  // Erases the addresses and user agent hashes in the votes that have these keys and were last
  // changed before "before". Returns the number of votes that had an address or a hash. REQUIRES:
  // at most kRatingsAtOnce keys.
  std::size_t erase_addresses(std::span<const model::RatingKey> keys,
                              base::Time before = base::Time::max()) const;

  // Deletes the aggregates with these keys and returns the number of deleted aggregates. REQUIRES:
  // at most kRatingsAtOnce keys.
  std::size_t remove_aggregates(std::span<const rollups::Aggregate::Key> keys) const;

 private:
  using Row = BulkRows::Row;
  using Votes = BulkRows::Votes;
  using Voters = BulkRows::Voters;
  using Changes = rollups::RollupChanges;
  using Aggregates = BulkRows::Aggregates;

  std::size_t remove_in(std::span<const model::RatingKey> keys, base::Time before) const;

  db::Connection& connection_;
  const BulkRows rows_;
};

}  // namespace transfer
