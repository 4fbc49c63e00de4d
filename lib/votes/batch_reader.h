#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "db/connection.h"
#include "db/transaction.h"
#include "rollups/rollup_changes.h"
#include "rollups/rollup_state.h"
#include "votes/batch_rows.h"
#include "votes/vote_request.h"
#include "votes/writer_id.h"

namespace votes {

// Locks and reads the rows for one batch of votes. The file votes/vote_batch.h describes these rows
// and the order of the locks. Used by one thread. Errors: as db::Connection.
class BatchReader {
 public:
  // All arguments must outlive this object. "known_state" is the state of the rollups at an earlier
  // batch, if there was an earlier batch.
  BatchReader(db::Connection& connection, std::span<const VoteRequest> requests,
              const std::optional<rollups::RollupState>& known_state)
      : connection_(connection), requests_(requests), known_state_(known_state) {}

  // Begins the transaction, raises the writer's sequence, and locks the state of the rollups, the
  // voters who may be new, and the counters if all voters may be new. Returns whether the sequence
  // was raised.
  bool open(std::optional<db::Transaction>& transaction, WriterId writer, std::uint64_t sequence);

  // Locks and reads everything else. Returns false, and does nothing else, if it is not clear which
  // voters' rows the batch has inserted. REQUIRES: open() has returned true.
  bool read();

  // Returns the state of the rollups. REQUIRES: open() has returned true.
  [[nodiscard]] const rollups::RollupState& state() const { return *state_; }
  // Returns the rows that were read. REQUIRES: read() has returned true.
  [[nodiscard]] BatchRows& rows() { return rows_; }
  // Returns the changes to the rollups. They contain the voters' last active days. REQUIRES: open()
  // has returned true.
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
  std::size_t inserted_ = 0;  // the number of voters' rows that open() has inserted
  bool are_counters_locked_ = false;
  std::optional<rollups::RollupChanges> changes_;  // set once the state of the rollups is locked
};

}  // namespace votes
