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

// Deletes old data during nightly maintenance (ratingctl maintain). The setting
// address_retention_days is the age at which addresses are erased. The setting retention_months is
// the age at which individual votes are aggregated.

namespace transfer {

// Erases the addresses and user agent hashes in votes that were last changed before "before". Works
// in slices of a few hundred votes, with one transaction for each slice, so that votes never wait
// long. Stores its progress, so a call can be interrupted, and the next call reads only newer
// votes. Returns the number of changed votes. Errors: same as db::Connection. After an error, the
// addresses in finished slices stay erased.
std::int64_t erase_old_addresses(db::Connection& connection, base::Time before);

// Aggregates all ratings that were last changed before "before", in slices
// (Aggregation::aggregate()). Returns the number of aggregated ratings. After an interruption,
// finished slices stay aggregated, and a repeated call continues. Errors: same as db::Connection.
// Throws db::Busy if a running import or clean-up does not end in time.
std::uint64_t aggregate_old_ratings(db::Connection& connection, base::Time before);

// The source of the aggregates that Aggregation creates.
inline constexpr const char* kRetention = "retention";

// Replaces old votes with aggregates (transfer/bulk_rows.h).
//
// After a vote was aggregated, it exists only as part of a sum. So the transaction that aggregates
// votes also stores the time up to which votes were aggregated. A merge first locks its ratings'
// voters, then reads this time and skips new ratings from before this time.
class Aggregation {
 public:
  // "connection" must outlive this object.
  explicit Aggregation(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Aggregates the oldest counted ratings that were last changed before "before", at most
  // kRatingsAtOnce ratings. Returns how many ratings were aggregated, or 0 if no such rating is
  // left. The sums for objects and the site do not change, and the voters' activity stays. Users'
  // ratings are removed from the sums by user. The sums by day no longer show whether scale values
  // below 0.05 were above zero.
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

// Functions that delete data about voters who have no votes, because they withdrew all votes or
// because retention replaced their votes with sums. Such a voter's row contains the last active
// day, the time of the last rating and the number of new ratings on that day. The limits per voter
// need these values (votes/refusal.h).

// The limits that apply to each voter. Each limit needs a value in the voter's row.
struct VoterLimits {
  std::chrono::seconds cooldown{0};  // needs the time of the last rating for this long
  bool has_daily_maximum = false;    // needs the number of ratings until the day ends
};

// Erases the last rating's time and the number of new ratings from the row of a voter who has no
// votes. Does not erase a value that a limit still needs. Errors: same as db::Connection.
void forget_last_rating(db::Connection& connection, model::VoterId voter,
                        const VoterLimits& limits);

struct IdleVoters {
  std::size_t deleted = 0;  // the number of rows, each with its activity pair
  std::size_t erased = 0;   // the number of rows from which time and number were erased

  bool operator==(const IdleVoters&) const = default;
};

// Deletes the rows of voters who have no votes, if their last active day is over and the cooldown
// no longer needs the rows. If retention may have aggregated some of a voter's votes, erases only
// the last rating's time and the number of new ratings. Such a row stays, so that the numbers of
// active voters do not change. Reads the rows of all voters in slices. After an interruption,
// finished slices stay deleted. Errors: same as db::Connection. Throws db::Busy if a running import
// or clean-up does not end in time.
IdleVoters forget_idle_voters(db::Connection& connection, base::Time now,
                              std::chrono::seconds cooldown);

}  // namespace transfer
