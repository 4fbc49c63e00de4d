#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"
#include "rollups/rollup_state.h"
#include "rollups/stats_store.h"
#include "rollups/writers.h"
#include "store/front_end_visitors.h"
#include "store/rating_key_sql.h"
#include "votes/batch_rows.h"
#include "votes/decisions.h"
#include "votes/vote.h"

namespace votes {

// "id" is the number of a vote writer's row in the writers table (rollups/writers.h). Each rollup
// row that changes with every vote exists in several copies, so that writers rarely wait for each
// other. A writer changes only copy number "slot" of each row.
struct WriterId {
  static constexpr std::uint8_t kSlots = 16;

  explicit WriterId(std::uint64_t row) : id(row), slot(static_cast<std::uint8_t>(row % kSlots)) {}
  std::uint64_t id;
  std::uint8_t slot;
};

// Locks and reads the rows for one batch of votes. See votes/vote_batch.h for the rows to lock and
// the lock order. All other functions require that open() has returned true. Must be used by only
// one thread. Throws the same exceptions as db::Connection.
class BatchReader {
 public:
  // All arguments must outlive this object. "known_state" is the rollup state from an earlier
  // batch, or empty for the first batch.
  BatchReader(db::Connection& connection, std::span<const VoteRequest> requests,
              const std::optional<rollups::RollupState>& known_state)
      : connection_(connection), requests_(requests), known_state_(known_state) {}

  // Begins the transaction and advances the writer's sequence number. Locks the rollup state, and
  // inserts and locks rows for voters who may be new. Also locks the counters if "may_be_new" is
  // true in every request. Returns whether the sequence number was advanced.
  bool open(std::optional<db::Transaction>& transaction, WriterId writer, std::uint64_t sequence);

  // Locks and reads all other rows that the batch needs. If it is unclear which voters already had
  // rows before the batch, returns false without locking any rows.
  bool read();

  [[nodiscard]] const rollups::RollupState& state() const { return *state_; }
  // Returns the rows read by read().
  [[nodiscard]] BatchRows& rows() { return rows_; }
  // Returns the changes to the rollups and to the voters' last active days.
  [[nodiscard]] rollups::RollupChanges& changes() { return *changes_; }

 private:
  void expect_voters();
  [[nodiscard]] bool find_new_voters();
  void lock_voters();
  void read_voters(std::span<const model::VoterId> voters);
  void read_votes();
  void read_holds(std::span<const model::RatingKey> keys);

  db::Connection& connection_;
  const std::span<const VoteRequest> requests_;
  const std::optional<rollups::RollupState>& known_state_;
  std::optional<rollups::RollupState> state_;
  BatchRows rows_;
  std::size_t inserted_ = 0;  // the number of voter rows that open() has inserted
  bool are_counters_locked_ = false;
  std::optional<rollups::RollupChanges> changes_;  // set once the rollup state is locked
};

// Writes the changes that result from one batch of votes. Must be used by only one thread, in the
// batch's transaction. Throws the same exceptions as db::Connection.
class BatchWriter {
 public:
  // All arguments must outlive this object. "changes" must contain each voter's last active day
  // before the batch.
  BatchWriter(db::Connection& connection, const Decisions& decisions,
              rollups::RollupChanges& changes);

  struct Written {
    rollups::StatsOf totals;  // the totals after this batch
    // The stored voters of visitors for whom another session has stored a different voter. If the
    // map is not empty, the caller must roll back the transaction.
    store::VotersByVisitor other_voters;
  };
  // Writes all changes and returns the new totals for "objects". "writer" is the number of the
  // writer's row in the writers table. Also throws db::Conflict if a cluster node has rolled back
  // the transaction.
  [[nodiscard]] Written write(std::span<const model::Object> objects, std::uint64_t writer,
                              rollups::BatchNumbers numbers);

  // Deletes the rows of voters without votes, except rows that the rules need. Most of the deleted
  // rows belong to new voters whose votes were rejected.
  void delete_unused_voters();

 private:
  void write_rows(std::uint64_t writer, rollups::BatchNumbers numbers);
  void write_votes();
  void write_reasons();
  void write_voters();
  void write_holds();
  void write_visitors();
  void write_log(std::uint64_t writer, rollups::BatchNumbers numbers);
  [[nodiscard]] store::VotersByVisitor others_in(const store::VotersByVisitor& stored) const;

  db::Connection& connection_;
  const Decisions& decisions_;
  rollups::RollupChanges& changes_;
};

// The SQL statements for a batch of votes.

inline constexpr db::BulkStatement kLockVoters(
    {"INSERT INTO {prefix}ratingd_voters (voter, last_day, last_rated_at, ratings) VALUES ",
     "(?,?,?,?)", ",", " ON DUPLICATE KEY UPDATE voter = voter"});
inline constexpr db::BulkStatement kReadVoters(
    {"SELECT voter, last_day, last_rated_at, ratings FROM {prefix}ratingd_voters"
     " FORCE INDEX (PRIMARY) WHERE voter IN (",
     "?", ",", ") FOR UPDATE"});
inline constexpr db::BulkStatement kSaveVoters(
    {"INSERT INTO {prefix}ratingd_voters (voter, last_day, last_rated_at, ratings) VALUES ",
     "(?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE last_day = VALUES(last_day), last_rated_at = VALUES(last_rated_at),"
     " ratings = VALUES(ratings)"});
inline constexpr db::BulkStatement kDeleteUnusedVoters(
    {"DELETE unused FROM {prefix}ratingd_voters AS unused FORCE INDEX (PRIMARY) WHERE voter IN (",
     "?", ",",
     ") AND last_day = '1000-01-01' AND NOT EXISTS (SELECT 1 FROM {prefix}ratingd_votes AS votes"
     " WHERE votes.voter = unused.voter)"});

inline constexpr db::BulkStatement kReadVotes(
    {"SELECT object_id, object_type, category, voter, value, rated_at, held, agent"
     " FROM {prefix}ratingd_votes FORCE INDEX (PRIMARY) WHERE ",
     "(object_id = ? AND object_type = ? AND category IN (0, 1, 2) AND voter = ?)", " OR ",
     " FOR UPDATE"});
inline constexpr db::BulkStatement kSaveVotes(
    {"INSERT INTO {prefix}ratingd_votes (object_id, object_type, category, voter, value, held,"
     " created_at, rated_at, address, agent) VALUES ",
     "(?,?,?,?,?,?,?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE value = VALUES(value), held = VALUES(held),"
     " rated_at = VALUES(rated_at), address = VALUES(address)"});
inline constexpr std::string_view kDeleteVote =
    "DELETE FROM {prefix}ratingd_votes"
    " WHERE object_id = ? AND object_type = ? AND category = ? AND voter = ?";

inline constexpr db::BulkStatement kReadHeld(
    {"SELECT object_id, object_type, category, voter, reasons, held_at"
     " FROM {prefix}ratingd_held FORCE INDEX (PRIMARY) WHERE ",
     store::kOfRatingKey, " OR ", ""});
inline constexpr db::BulkStatement kSaveHeld(
    {"INSERT INTO {prefix}ratingd_held (object_id, object_type, category, voter, reasons, held_at)"
     " VALUES ",
     "(?,?,?,?,?,?)", ",", " ON DUPLICATE KEY UPDATE reasons = VALUES(reasons)"});
inline constexpr db::BulkStatement kDeleteHeld({"DELETE FROM {prefix}ratingd_held WHERE ",
                                                store::kOfRatingKey, " OR ", ""});

}  // namespace votes
