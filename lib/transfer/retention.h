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
// in slices of a few hundred votes, each in a separate transaction, so that votes never wait long.
// Stores its progress, so it can be interrupted, and the next call reads only newer votes. Returns
// the number of changed votes. Errors: as db::Connection. After an error, the addresses in finished
// slices stay erased.
std::int64_t erase_old_addresses(db::Connection& connection, base::Time before);

// Aggregates all ratings that were last changed before "before" (Aggregation::aggregate()), in
// slices. Returns the number of these ratings. After an interruption, finished slices stay
// aggregated, and a repeated call continues. Errors: as db::Connection. Throws db::Busy if a
// running import or clean-up does not end in time.
std::uint64_t aggregate_old_ratings(db::Connection& connection, base::Time before);

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

// Functions that delete data about voters without votes. These voters withdrew all their votes, or
// retention replaced their votes with sums. Such a voter's row contains the last active day, the
// time of the last rating and the number of new ratings on that day. The limits per voter need
// these values (votes/refusal.h).

// The limits that count per voter. Each of them needs a value in the voter's row.
struct VoterLimits {
  std::chrono::seconds cooldown{0};  // needs the time of the last rating for this long
  bool has_daily_maximum = false;    // needs the number of ratings until the day ends
};

// Erases the time of the last rating and the number of new ratings in the row for a voter without
// votes. Does not erase a value that a limit still needs. Errors: as db::Connection.
void forget_last_rating(db::Connection& connection, model::VoterId voter,
                        const VoterLimits& limits);

struct IdleVoters {
  std::size_t deleted = 0;  // the number of rows, each with its activity pair
  std::size_t erased = 0;   // the number of rows that stay without time and number

  bool operator==(const IdleVoters&) const = default;
};

// Deletes the rows of voters without votes if their last active day is over and the cooldown no
// longer needs the rows. If retention may have aggregated votes of a voter, erases only the time of
// the last rating and the number of new ratings. Such a row stays, so that the numbers of active
// voters do not change. Reads the rows of all voters in slices. After an interruption, finished
// slices stay deleted. Errors: as db::Connection. Throws db::Busy if a running import or clean-up
// does not end in time.
IdleVoters forget_idle_voters(db::Connection& connection, base::Time now,
                              std::chrono::seconds cooldown);

}  // namespace transfer
