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
// of the batch's size. If all voters in a batch are new, three round trips can be enough: the first
// takes the locks, the second writes and reads the new totals, and the third commits.
//
// Locks: rows are locked in the order rollup_state, writers, voters, votes, reasons, counters,
// site_daily, reach, totals, daily, users, user_daily, held, visitors, and in key order within a
// table. There are two exceptions. Voters who may be new are locked before other voters. If all
// voters may be new, counters are locked before votes. Because of this order, two batches rarely
// deadlock. If two batches deadlock, one of them is repeated. The log's row (rollups/writers.h) is
// locked
// last.
//
// Voters: a voter's row is locked, and it is inserted first if it is missing. So two first votes by
// the same voter are processed one after the other, even on two hosts. Most votes come from voters
// without a row. The batch reads nothing else about such voters and inserts each row with the
// content that it will have if all the voter's votes are stored. A row is written again only if its
// content turns out to be different. The number of inserted rows shows whether all voters who may
// be new really had no row. If some voters had a row, the batch assumes that it has inserted all
// rows that have the expected content. If more rows have the expected content than the batch has
// inserted, the batch must be run again with no voter marked as possibly new. This check requires
// that each voter with votes has a row, even if all the votes are held.
//
// Visitors from other front ends: their rows are added with the other writes, and read back in the
// same round trip. If a visitor's row contains a different voter than the request, the batch is
// rolled back and must be run again for the voter in the row (store/front_end_visitors.h). This
// happens only if another session has added the row in the meantime and has derived the voter's
// number with another key. A batch without visitors runs no statement for visitors.
//
// Decisions: run() reads all rows into a value (votes/batch_store.h), decides the votes in memory
// with pure functions (votes/decisions.h), and writes the changes (votes/batch_store.h). The sum of
// the differences (new - old) is added to totals and rollups. A request that moves a rating locks
// and reads both voters in the same statements. A voter's row contains the numbers that the rules
// use for each voter. The counters (votes/counters.h) contain the numbers that the rules use for
// each address. A held rating is a row in the votes table that no rollup counts. It stays held when
// it changes. Additional statements for held ratings are needed only if a rating is held or a rule
// may hold ratings.
//
// Refused requests leave no row. A batch without changes is rolled back. All other batches delete
// the rows for refused requests before they commit.
//
// Reasons: the batch reads the reasons for stored low ratings. It writes reasons only if they
// change, and in a separate statement, because reasons are long.
//
// Rollups: the time zone in which days are counted is read with a shared lock. While a batch holds
// this lock, no repair slice (rollups/repair.h) can run.
class VoteBatch {
 public:
  // All arguments must outlive the batch. "known_state" is the rollup state that an earlier batch
  // has read. It is empty for the first batch. If the zones have changed since then, the batch
  // reads them again and writes the voters' rows twice.
  VoteBatch(db::Connection& connection, BurstWatch& watch, WriterId writer,
            const std::optional<rollups::RollupState>& known_state);

  // Returns whether somebody is still waiting for a vote's result. The argument is the index of the
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
  // nothing changes, rolls the batch back, and the sequence stays the same. In "requests", a vote's
  // first request is followed by the requests for its parts (VoteRequest::is_part). "results" is
  // set before the commit. If the response to the commit is lost, run the batch again with the same
  // "numbers" and "results". The second run may use another server.
  //
  // A vote is skipped if it is no longer wanted when the voters' rows are locked. Its voter was
  // asked to vote again, so another writer may already have stored a newer vote.
  //
  // Errors: db::ConnectionLost - whether the batch was committed is unknown.
  //         db::Conflict, db::BadData, db::Failure - nothing was changed.
  Status run(std::span<const VoteRequest> requests, const IsWanted& is_wanted,
             rollups::BatchNumbers numbers, Results& results);

  // Returns the visitors whose stored voters differ from the voters in the requests, together with
  // the stored voters. REQUIRES: run() has returned has_other_voters.
  [[nodiscard]] const store::VotersByVisitor& other_voters() const { return other_voters_; }

  // Returns the rollup state. REQUIRES: run() has returned done.
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
