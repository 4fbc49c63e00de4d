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

// The source of aggregates that Aggregation makes.
inline constexpr const char* kRetention = "retention";

// Replaces old votes with aggregates (transfer/bulk_rows.h).
//
// A vote that was aggregated is only part of a sum. So the transaction that rolls up votes also
// stores the time up to which votes were aggregated. Merges read it after the voters of their
// ratings are locked, and skip new ratings before that time.
class Aggregation {
 public:
  // "connection" must outlive this.
  explicit Aggregation(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Rolls up the oldest counted ratings that were last changed before "before" into aggregates: at
  // most kRatingsAtOnce. Returns their number; 0: no such rating is left. The sums of objects and
  // of the site do not change. The activity of voters stays. The ratings of users are removed from
  // the sums by user. The sums by day lose whether scale values below 0.05 were above zero.
  std::size_t aggregate(base::Time before) const;

  // The time up to which votes were aggregated; nothing if that never happened.
  // clear_aggregated_before() removes it. REQUIRES for clear_aggregated_before(): the aggregates
  // are deleted.
  [[nodiscard]] std::optional<base::Time> aggregated_before() const;
  void clear_aggregated_before() const;
  // Raises that time to "before". REQUIRES: the caller's transaction.
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
