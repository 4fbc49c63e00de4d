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

// Functions that delete old data during the nightly maintenance (ratingctl maintain). The
// `address_retention_days` setting is the age at which addresses are erased. The `retention_months`
// setting is the age at which individual votes are aggregated.

namespace transfer {

// Erases the addresses and user agent hashes in votes that were last changed before "before". Works
// in slices of a few hundred votes, with one transaction per slice, so that votes never wait long.
// Records the time up to which addresses have been erased, so that the next call skips older votes.
// Returns the number of changed votes. Throws the same exceptions as db::Connection. Addresses that
// were erased before an error remain erased.
std::int64_t erase_old_addresses(db::Connection& connection, base::Time before);

// Aggregates all ratings that were last changed before "before", in slices
// (Aggregation::aggregate()). Returns the number of aggregated ratings. After an interruption, a
// repeated call aggregates the remaining ratings. Throws the same exceptions as db::Connection.
// Throws db::Busy if a running import or clean-up does not end in time.
std::uint64_t aggregate_old_ratings(db::Connection& connection, base::Time before);

// The source of the aggregates created by the Aggregation class.
inline constexpr const char* kRetention = "retention";

// Replaces old votes with aggregates (transfer/bulk_rows.h).
//
// An aggregated vote is stored only as part of a sum. The transaction that aggregates votes also
// stores the time up to which votes were aggregated. A merge first locks its voters and then reads
// the time up to which votes were aggregated. A merge skips new ratings that are older than the
// time up to which votes were aggregated.
class Aggregation {
 public:
  // "connection" must outlive this object.
  explicit Aggregation(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Aggregates up to Slices::kFirst of the oldest counted ratings that were last changed before
  // "before". Returns the number of aggregated ratings, which is 0 if no ratings are left to
  // aggregate. Aggregation does not change the sums for objects, the sums for the site, or the
  // voters' active days. Aggregation removes the ratings from the sums for users. After
  // aggregation, the daily sums no longer distinguish ratings below 0.05 in the "scale" category
  // from 0.
  std::size_t aggregate(base::Time before) const;

  // aggregated_before() returns the time up to which votes were aggregated, or nothing if no votes
  // were aggregated. The function clear_aggregated_before() must be called only after all
  // aggregates have been deleted.
  [[nodiscard]] std::optional<base::Time> aggregated_before() const;
  void clear_aggregated_before() const;
  // Stores the time "before" if it is later than the stored time. The function
  // note_aggregated_before() must be called in a transaction.
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

// The following functions delete data about voters who have withdrawn all votes, or whose votes
// have all been aggregated. A voter's row contains the last active day, the time of the last rating
// and the number of new ratings on the last active day. The limits for individual voters use the
// values in a voter's row (votes/refusal.h).

// The site's limits for individual voters. If a voter has no votes, the time and the number in the
// voter's row are kept only while a limit needs them.
struct VoterLimits {
  std::chrono::seconds cooldown{0};  // the duration for which the time of the last rating is needed
  bool has_daily_maximum = false;    // if true, the number of ratings is needed until the end of
                                     // the day
};

// Erases the time of the last rating and the number of new ratings in the row of a voter who has no
// votes. Keeps the values still needed by a limit in "limits". Throws the same exceptions as
// db::Connection.
void forget_last_rating(db::Connection& connection, model::VoterId voter,
                        const VoterLimits& limits);

struct IdleVoters {
  std::size_t deleted = 0;  // the number of deleted rows, each with its activity pair
  std::size_t erased = 0;   // the number of rows in which the time and the number were erased

  bool operator==(const IdleVoters&) const = default;
};

// Deletes the rows of voters who have no votes, whose last active day is over, and whose last
// rating is older than "cooldown". If some of a voter's votes may have been aggregated, erases only
// the time of the last rating and the number of new ratings, and keeps the voter's row, so that the
// voter is still counted as active on earlier days. Reads the rows of all voters in slices. Rows
// that were deleted before an interruption remain deleted. Throws the same exceptions as
// db::Connection. Throws db::Busy if a running import or clean-up does not end in time.
IdleVoters forget_idle_voters(db::Connection& connection, base::Time now,
                              std::chrono::seconds cooldown);

}  // namespace transfer
