#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/rollup_changes.h"
#include "transfer/slices.h"
#include "votes/suspicion.h"

namespace transfer {

// A row for the votes table, for imports.
struct StoredRating {
  struct Hold {  // if the rating is held and not counted
    votes::Reasons reasons = 0;
    base::Time held_at;
    bool operator==(const Hold&) const = default;
  };
  model::RatingKey key;
  model::Thousandths value = 0;  // valid in its category
  base::Time created_at;         // not after rated_at
  base::Time rated_at;
  std::optional<Hold> hold;
  std::string address;  // as stored in the votes table, up to 17 bytes
  std::optional<model::FrontEndVisitor> visitor = {};  // the visitor who is the anonymous voter
  std::string reason = {};  // the reason that the voter has given; empty: none

  bool operator==(const StoredRating&) const = default;
};

// The writer's slot (votes/vote_batch.h) for bulk operations. No other writer uses this slot, so
// votes do not wait for its rows.
inline constexpr std::uint8_t kBulkSlot = 255;

// DESIGN. Operations that change many past ratings while votes arrive: merges
// (transfer/rating_merge.h), removals (transfer/rating_removal.h), and the aggregation of old votes
// (transfer/aggregation.h). Each call is one transaction with at most kRatingsAtOnce rows, so that
// votes never wait long. If the transaction conflicts with others, the call is divided into several
// transactions. It locks rows in the same order as a batch of votes (votes/vote_batch.h), and
// aggregates after votes. It changes votes, aggregates and all rollups by the difference. The rules
// for votes do not apply, and votes are never suspected.
//
// Used by one thread. Repeating a call is safe. After an error, nothing is changed, or only parts
// of a divided call. Errors (all functions): as db::Connection. Throws db::Conflict only after
// several attempts, and db::BadData if a row does not fit its columns.
inline constexpr std::size_t kRatingsAtOnce = Slices::kMost;
inline constexpr int kAttemptsOfPart = 4;  // attempts for each part of a divided call (in_parts())

// The functions that lock and change the rows for these operations. Each function is called in the
// caller's transaction. Used by one thread. Errors: as db::Connection.
class BulkRows {
 public:
  struct Row {  // a row in the votes table
    model::Thousandths value = 0;
    base::Time created_at, rated_at;
    bool is_held = false;
  };
  using Votes = std::map<model::RatingKey, Row>;
  using Voters = std::set<model::VoterId>;
  using Aggregates = std::map<rollups::Aggregate::Key, model::Totals>;
  using AggregateKeys = std::set<rollups::Aggregate::Key>;

  // "connection" must outlive this object.
  explicit BulkRows(db::Connection& connection) : connection_(connection) {}

  // Locks the rollup state and the rows for "voters", and reads the last days.
  [[nodiscard]] rollups::RollupChanges lock(const Voters& voters) const;

  // Locks the stored votes with these keys and returns them. row_in() reads a row from the
  // statement kLockVotes.
  [[nodiscard]] Votes lock_votes(const std::set<model::RatingKey>& keys) const;
  [[nodiscard]] static Row row_in(const db::Rows& row);
  // Return the number of deleted rows.
  std::uint64_t delete_votes(const Votes& votes) const;
  void delete_holds(const Votes& votes) const;
  // Returns the voters in "voters" who have no vote, not even a held vote.
  [[nodiscard]] Voters voters_without_votes(const Voters& voters) const;
  // Deletes visitors' rows. REQUIRES: the voters have no votes and are locked.
  void delete_visitors(const Voters& voters) const;

  // Returns the stored aggregates with these keys. Takes no locks.
  [[nodiscard]] Aggregates find_aggregates(const AggregateKeys& keys) const;
  // Locks the aggregates with these keys and returns them. Inserts missing aggregates with zeros
  // because a missing row cannot be locked.
  [[nodiscard]] Aggregates lock_aggregates(const AggregateKeys& keys) const;
  void save_aggregates(const Aggregates& aggregates) const;
  void delete_aggregates(const Aggregates& aggregates) const;

 private:
  [[nodiscard]] Aggregates aggregates_of(const db::BulkStatement& statement,
                                         const AggregateKeys& keys) const;

  db::Connection& connection_;
};

// Add a rating or other sums to "sums".
void add_rating(model::Totals& sums, model::Category category, model::Thousandths value,
                base::Time rated_at);
void add_sums(model::Totals& sums, const model::Totals& more);

}  // namespace transfer
