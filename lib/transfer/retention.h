#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "model/rating.h"
#include "transfer/bulk_rows.h"

// Functions that delete old data during the nightly maintenance (ratingctl maintain). The setting
// `address_retention_days` is the age at which addresses are erased. The setting `retention_months`
// is the age at which individual votes are aggregated.

namespace transfer {

// Erases the addresses and user agent hashes in votes that were last changed before "before". Works
// in slices of a few hundred votes, with one transaction for each slice, so that votes never wait
// long. Stores the progress, so a call can be interrupted, and the next call reads only newer
// votes. Returns the number of changed votes. Throws the same exceptions as db::Connection. After
// an error, the addresses in finished slices remain erased.
std::int64_t erase_old_addresses(db::Connection& connection, base::Time before);

// Aggregates all ratings that were last changed before "before", in slices
// (Aggregation::aggregate()). Returns the number of aggregated ratings. After an interruption,
// finished slices remain aggregated, and a repeated call continues. Throws the same exceptions as
// db::Connection. Throws db::Busy if a running import or clean-up does not end in time.
std::uint64_t aggregate_old_ratings(db::Connection& connection, base::Time before);

// The source of the aggregates that the class Aggregation creates.
inline constexpr const char* kRetention = "retention";

// Replaces old votes with aggregates (transfer/bulk_rows.h).
//
// An aggregated vote is stored only as part of a sum. Therefore, the transaction that aggregates
// votes also stores the time up to which votes were aggregated. A merge first locks the voters of
// its ratings and then reads the stored time. The merge skips all new ratings that are older than
// the stored time.
class Aggregation {
 public:
  // "connection" must outlive this object.
  explicit Aggregation(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Aggregates the oldest counted ratings that were last changed before "before", up to
  // Slices::kFirst ratings. Returns the number of aggregated ratings. The result is 0 if no such
  // ratings are stored any more. The sums for objects and for the site, and the voters' active
  // days, do not change. The ratings are removed from the sums for users. In the sums for days,
  // scale values below 0.05 can no longer be distinguished from 0.
  std::size_t aggregate(base::Time before) const;

  // The function aggregated_before() returns the time up to which votes were aggregated, or nothing
  // if no votes were aggregated. The function clear_aggregated_before() deletes the stored time and
  // must be called only after all aggregates have been deleted.
  [[nodiscard]] std::optional<base::Time> aggregated_before() const;
  void clear_aggregated_before() const;
  // Stores the time "before" if it is later than the stored time. Must be called in a transaction.
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

// The following functions delete data about voters who have no votes because they have withdrawn
// all votes, or because retention has replaced all their votes with sums. The row of a voter
// contains the last active day, the time of the last rating and the number of new ratings on the
// last active day. The limits for each voter need the values in this row (votes/refusal.h).

// The site's limits for individual voters. These limits determine which values in a voter's row are
// still needed.
struct VoterLimits {
  std::chrono::seconds cooldown{0};  // the duration for which the time of the last rating is needed
  bool has_daily_maximum = false;    // if true, the number of ratings is needed until the end of
                                     // the day
};

// Erases the time of the last rating and the number of new ratings in the row of a voter who has no
// votes. Does not erase values that a limit still needs. Throws the same exceptions as
// db::Connection.
void forget_last_rating(db::Connection& connection, model::VoterId voter,
                        const VoterLimits& limits);

struct IdleVoters {
  std::size_t deleted = 0;  // the number of deleted rows, each with its activity pair
  std::size_t erased = 0;   // the number of rows in which the time and the number were erased

  bool operator==(const IdleVoters&) const = default;
};

// Deletes the rows of voters who have no votes, whose last active day is over, and whose cooldown
// has ended. If some of a voter's votes may have been aggregated, erases only the time of the last
// rating and the number of new ratings. The row itself remains, so that the voter still counts as
// an active voter on earlier days. Reads the rows of all voters in slices. After an interruption,
// finished slices remain deleted. Throws the same exceptions as db::Connection. Throws db::Busy if
// a running import or clean-up does not end in time.
IdleVoters forget_idle_voters(db::Connection& connection, base::Time now,
                              std::chrono::seconds cooldown);

}  // namespace transfer
