#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "model/rating.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// The source of the aggregates that Aggregation creates.
inline constexpr const char* kRetention = "retention";

// Replaces old votes with aggregates (transfer/bulk_rows.h).
//
// After a vote was aggregated, it exists only as part of a sum. So the transaction that aggregates
// votes also stores the time up to which votes were aggregated. Merges read this time after they
// have locked the voters of their ratings, and skip new ratings before it.
class Aggregation {
 public:
  // "connection" must outlive this object.
  explicit Aggregation(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Aggregates the oldest counted ratings that were last changed before "before", at most
  // kRatingsAtOnce ratings. Returns their number, or 0 if no such rating is left. The sums for
  // objects and the site do not change, and the voters' activity stays. The ratings of users are
  // removed from the sums by user. The sums by day no longer show whether scale values below
  // 0.05 were above zero.
  std::size_t aggregate(base::Time before) const;

  // aggregated_before() returns the time up to which votes were aggregated, or nothing if no votes
  // were aggregated. clear_aggregated_before() removes the stored time. REQUIRES for
  // clear_aggregated_before(): the aggregates are deleted.
  [[nodiscard]] std::optional<base::Time> aggregated_before() const;
  void clear_aggregated_before() const;
  // Raises the stored time to "before". REQUIRES: called in a transaction.
  void note_aggregated_before(base::Time before) const;

 private:
  using Votes = BulkRows::Votes;
  using Voters = BulkRows::Voters;
  using Changes = rollups::RollupChanges;
  using Aggregates = BulkRows::Aggregates;
  using AggregateKeys = BulkRows::AggregateKeys;

  std::size_t aggregate_in_slice(std::span<const model::RatingKey> keys, base::Time before) const;
  std::vector<model::RatingKey> oldest_votes(base::Time before) const;

  db::Connection& connection_;
  const BulkRows rows_;
};

}  // namespace transfer
