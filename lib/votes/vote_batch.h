#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "db/connection.h"
#include "rollups/rollup_state.h"
#include "rollups/stats_store.h"
#include "rollups/writers.h"
#include "store/front_end_visitors.h"
#include "votes/batch_store.h"
#include "votes/suspicion.h"
#include "votes/vote.h"

namespace votes {

// DESIGN. One batch of vote requests is one transaction with a few multi-row statements, regardless
// of the size of the batch. A batch with only new voters takes as few as three round trips: the
// first locks, the second writes and reads the new totals, and the third commits.
//
// Locks: rows are locked in the order rollup_state, writers, voters, votes, reasons, counters,
// site_daily, reach, totals, daily, users, user_daily, held, visitors, and in key order within a
// table. There are two exceptions. Voters who may be new are locked before other voters. If all
// voters may be new, counters are locked before votes. Because of this order, two batches rarely
// deadlock. If they do, one of them is repeated. The log's row (rollups/writers.h) is locked
// last.
//
// Voters: a voter's row is inserted if it is missing, and locked. So two first votes by one voter
// run one after the other, even on two hosts. Most votes come from voters without a row. The batch
// reads nothing else about such voters and inserts each row with the content that it will have if
// all the voter's votes are stored. Only rows whose content turns out to be different are written
// again. The number of inserted rows shows whether all voters who may be new had in fact no row. If
// some had a row, the batch assumes that it has inserted all rows that have the expected content.
// If there are more such rows than the batch has inserted, the batch must be run again with no
// voter marked as possibly new. For this check, each voter with votes must have a row, even if all
// the votes are held.
//
// Visitors from other front ends: their rows are added with the other writes, and read back in the
// same round trip. If a visitor's row contains a different voter than the request, the batch is
// rolled back and must be run again for the voter in the row (store/front_end_visitors.h). This
// happens only if another session has added the row in between, with a voter number that was
// derived with another key. Batches without visitors have no statement for visitors.
//
// Decisions: run() reads all rows into a value (votes/batch_store.h), decides the votes in memory
// with pure functions (votes/decisions.h), and writes the changes (votes/batch_store.h). Totals
// and rollups change by the sums of (new - old). A request that moves a rating locks and reads both
// voters in the same statements. A voter's row contains the numbers that the rules count per voter.
// The counters (votes/counters.h) contain the numbers that the rules count per address. A held
// rating is a row of votes that no rollup counts; it stays held when it changes. Held ratings need
// further statements only if a rating is held or a rule may hold ratings.
//
// Refused requests leave no row. A batch without changes is rolled back. Other batches delete the
// rows that they inserted for refused requests before the commit.
//
// Reasons: the batch reads the reasons for stored low ratings. It writes reasons only if they
// change, and in a separate statement, because reasons are long.
//
// Rollups: the time zone for the days is read with a shared lock. While the lock is held, no slice
// of a repair (rollups/repair.h) runs.
class VoteBatch {
 public:
  // All arguments must outlive the batch. "known_state" is the state of the rollups at an earlier
  // batch, if there was one. If the zones have changed since then, the batch reads them again and
  // writes voters' rows twice.
  VoteBatch(db::Connection& connection, BurstWatch& watch, WriterId writer,
            const std::optional<rollups::RollupState>& known_state);

  // Returns whether somebody still waits for the result of a vote. The argument is the index of the
  // vote's first request.
  using IsWanted = std::function<bool(std::size_t)>;

  // Returns the objects in the requests, each once.
  static std::vector<model::Object> objects_of(std::span<const VoteRequest> requests);

  struct Results {
    std::vector<VoteResult> votes;  // one for each vote request
    rollups::StatsOf totals;        // for the objects in all vote requests, after the batch
  };

  enum class Status {
    done,               // "results" is set
    was_committed,      // an earlier run was committed and has set "results"; its response was lost
    has_no_writer_row,  // nothing was done
    has_other_voters,   // nothing was done; other_voters() returns the visitors and their voters
    has_known_voters,   // nothing was done: run again with may_be_new set to false in all requests
  };

  // Runs and commits the batch and raises the sequence in the writer's row to "numbers.after". If
  // nothing changes, does neither. In "requests", the parts of a vote are requests that follow it
  // (VoteRequest::is_part). "results" is set before the commit. If the response to the commit is
  // lost, run the batch again with the same "numbers" and "results". The second run may use another
  // server.
  //
  // A vote is skipped if it is not wanted any more when the voters' rows are locked. Its voter was
  // asked to repeat it, so another writer may have stored a newer vote.
  //
  // Errors: db::ConnectionLost - whether the batch was committed is unknown.
  //         db::Conflict, db::BadData, db::Failure - nothing was changed.
  Status run(std::span<const VoteRequest> requests, const IsWanted& is_wanted,
             rollups::BatchNumbers numbers, Results& results);

  // Returns the visitors whose stored voters differ from the voters in the requests, together with
  // the stored voters. REQUIRES: run() has returned has_other_voters.
  [[nodiscard]] const store::VotersByVisitor& other_voters() const { return other_voters_; }

  // Returns the state of the rollups. REQUIRES: run() has returned done.
  [[nodiscard]] const rollups::RollupState& state() const { return *state_; }

  // Returns how long the commit took, or nothing if there was no commit. REQUIRES: run() has
  // returned.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> commit_duration() const {
    return commit_duration_;
  }

 private:
  db::Connection& connection_;
  BurstWatch& watch_;
  const WriterId writer_;
  const std::optional<rollups::RollupState>& known_state_;

  std::optional<rollups::RollupState> state_;
  store::VotersByVisitor other_voters_;
  std::optional<std::chrono::nanoseconds> commit_duration_;
};

}  // namespace votes
