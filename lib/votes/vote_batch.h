#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "db/connection.h"
#include "rollups/batch_log.h"
#include "rollups/rollup_state.h"
#include "rollups/totals_reader.h"
#include "store/front_end_visitors.h"
#include "votes/burst_watch.h"
#include "votes/vote_request.h"
#include "votes/vote_result.h"
#include "votes/writer_id.h"

namespace votes {

// DESIGN. One batch of vote requests is one transaction of a few multi-row statements, whatever the
// size of the batch. A batch of new voters takes as few as three round trips: one that locks, one
// that writes and reads the new totals, and the commit.
//
// Locks: rows are locked in the order rollup_state, writers, voters, votes, reasons, counters,
// site_daily, reach, totals, daily, users, user_daily, held, visitors, and in key order within a
// table. There are two exceptions: voters who may be new are locked before other voters, and if all
// voters may be new, counters are locked before votes. So two batches rarely deadlock. If they do,
// one of them is repeated. The row of the log (rollups/batch_log.h) is the last one.
//
// Voters: a voter's row is inserted if it is missing, and locked. So two first votes of one voter
// run one after the other, even on two hosts. Most votes come from voters without a row: nothing
// else is read about them, and their rows are inserted as they will be if all their votes are
// stored. Only rows that turn out otherwise are written again. The number of inserted rows shows
// whether all voters who may be new are new. If not, the batch takes the rows that look as it
// inserts them for its own. If there are more such rows than the batch has inserted, it must be run
// again without guesses. For this, each voter with votes must have a row, even if all the votes are
// held.
//
// Visitors of other front ends: their rows are added with the other writes, and read back in the
// same round trip. If the row of a visitor names another voter than the request, the batch is
// rolled back and must be run again for the voter in the row (store/front_end_visitors.h). This
// happens only if another session has added the row in between, with a number that was derived with
// another key. Batches without visitors have no statement for them.
//
// Decisions: run() reads all rows into a value (votes/batch_reader.h), decides the votes in memory
// with pure functions (votes/decisions.h), and writes the changes (votes/batch_writer.h). Totals
// and rollups change by the sums of (new - old). A request that moves a rating locks and reads both
// voters in the same statements. The row of a voter holds the numbers that the rules count per
// voter. The counters (votes/counters.h) hold the numbers that the rules count per address. A held
// rating is a row of votes that no rollup counts; it stays held when it changes. Held ratings cost
// no statement, unless a rating is held or a rule may hold one.
//
// Refused requests leave no row: a batch without changes is rolled back. Other batches delete the
// rows that they inserted for refused requests before the commit.
//
// Reasons: the reasons of stored low ratings are read, and written only if they change. They are
// written apart from the other rows, because reasons are long.
//
// Rollups: the time zone of the days is read with a shared lock, which excludes a slice of a repair
// (rollups/repair.h).
class VoteBatch {
 public:
  // All arguments must outlive the batch. "known_state" is the state of the rollups at an earlier
  // batch, if there was one. If the zones have changed since then, they are read again and rows of
  // voters are written twice.
  VoteBatch(db::Connection& connection, BurstWatch& watch, WriterId writer,
            const std::optional<rollups::RollupState>& known_state);

  // Whether the vote whose first request has this index still waits for its result.
  using IsWanted = std::function<bool(std::size_t)>;

  // The objects of the requests, each once.
  static std::vector<model::Object> objects_of(std::span<const VoteRequest> requests);

  struct Results {
    std::vector<VoteResult> votes;  // one for each vote request
    rollups::StatsOf totals;        // of the objects of all vote requests, after the batch
  };

  enum class Status {
    done,               // "results" is set
    was_committed,      // by an earlier run, whose response was lost; "results" are its results
    has_no_writer_row,  // nothing was done
    has_other_voters,   // nothing was done: visitors are other_voters()
    has_known_voters,   // nothing was done: run again with requests of which none may_be_new
  };

  // The parts of a vote are requests that follow it (VoteRequest::is_part).
  //
  // Runs and commits the batch, and raises the sequence in the writer's row to "numbers.after";
  // does neither if nothing changes. "results" is set before the commit. If the commit's response
  // is lost, run again with the same "numbers" and "results": also with another server.
  //
  // A vote request that is not wanted any more when the voters' rows are locked is skipped: its
  // voter was asked to repeat it, and another writer may have stored a newer vote.
  //
  // Errors: db::ConnectionLost - whether the batch was committed is unknown.
  //         db::Conflict, db::BadData, db::Failure - nothing was changed.
  Status run(std::span<const VoteRequest> requests, const IsWanted& is_wanted,
             rollups::BatchNumbers numbers, Results& results);

  // Visitors who are other voters than in the requests, and these voters. REQUIRES: run() has
  // returned has_other_voters.
  [[nodiscard]] const store::VotersByVisitor& other_voters() const { return other_voters_; }

  // The state of the rollups. REQUIRES: run() has returned done.
  [[nodiscard]] const rollups::RollupState& state() const { return *state_; }

  // How long the commit took; nothing if there was no commit. REQUIRES: run() has returned.
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
