#pragma once

#include <cstddef>
#include <span>

#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// Deletes ratings and aggregates, together with all data that depend on them
// (transfer/bulk_rows.h).
class RatingRemoval {
 public:
  // "connection" must outlive this object.
  explicit RatingRemoval(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Deletes the counted and held votes that have a key in "keys" and were last changed before
  // "before". Returns the number of deleted votes. Also deletes the active days that are based on
  // the deleted votes, and all data about voters who have no votes left. Rollup rows for days
  // without any remaining votes are deleted only by rollups::delete_empty_days(). The caller must
  // pass at most kRatingsAtOnce keys.
  std::size_t remove(std::span<const model::RatingKey> keys,
                     base::Time before = base::Time::max()) const;

  // Deletes all data about voters in "voters" who have no votes and whose last active day is before
  // "before". Returns the number of deleted voters. The caller must pass at most kRatingsAtOnce
  // voters.
  std::size_t remove_unused_voters(std::span<const model::VoterId> voters,
                                   base::Day before = base::Day::max()) const;

  // Erases the addresses and user agent hashes in the votes that have a key in "keys" and were last
  // changed before "before". Returns the number of votes that had an address or a hash. The caller
  // must pass at most kRatingsAtOnce keys.
  std::size_t erase_addresses(std::span<const model::RatingKey> keys,
                              base::Time before = base::Time::max()) const;

  // Deletes the aggregates with a key in "keys" and returns the number of deleted aggregates. The
  // caller must pass at most kRatingsAtOnce keys.
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
