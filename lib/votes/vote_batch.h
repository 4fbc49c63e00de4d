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
// of the batch's size. A batch in which all voters are new may need only three round trips to the
// database. The first round trip takes the locks, the second writes the changes and reads the new
// totals, and the third commits.
//
// A batch locks rows in the order rollup_state, writers, voters, votes, reasons, counters,
// site_daily, reach, totals, daily, users, user_daily, held, visitors, and in key order within a
// table. The lock order has two exceptions: voters who may be new are locked before other voters,
// and counters are locked before votes if all voters may be new. Two batches rarely deadlock,
// because all batches use the same order. After a deadlock, one batch is repeated. Last of all, the
// batch locks its row in the log of changes (rollups/writers.h).
//
// A batch inserts missing rows for voters and locks the rows of all its voters. The row lock
// ensures that the first two votes by a new voter are processed one after the other, even by two
// hosts. Most votes come from voters without a row. If a voter may be new, the batch does not read
// the voter's data, but inserts the row that the voter should have if the voter is new and all of
// the voter's votes are stored. An inserted row is rewritten only if its content turns out to be
// wrong. The number of inserted rows shows whether any voter assumed to be new already had a row.
// If fewer rows were inserted than expected, the batch reads the rows and compares them with the
// content that it tried to insert. If more rows match than were inserted, the batch cannot tell
// which voters are new, and must be run again with may_be_new set to false in all requests. Because
// new voters are recognized by their missing row, each voter with votes must have a row, even if
// all of the voter's votes are held.
//
// For visitors from other front ends, the batch inserts missing rows into the ratingd_visitors
// table when it writes its other changes, and reads the rows back in the same round trip. If the
// voter in a visitor's row differs from the voter in the request, the batch is rolled back and must
// be run again for the voter in the row (store/front_end_visitors.h). A visitor's row can contain a
// different voter only if another session has added the row in the meantime and has computed the
// voter id with a different key.
//
// The run() function reads all rows (votes/batch_store.h), decides the outcomes in memory with pure
// functions (votes/decisions.h), and writes the changes (votes/batch_store.h). The differences
// between the new and the old ratings are added to the totals and the rollups. The per-voter
// numbers used by the rules are stored in the voters' rows. The per-address numbers used by the
// rules are stored in the counters (votes/counters.h). A held rating is a row in the votes table
// that is not included in any rollup. A held rating stays held when it changes. Additional
// statements for held ratings are needed only if a rating is held or a rule may hold ratings.
//
// Refused requests leave no rows in the database. A batch without changes is rolled back. A batch
// with changes deletes the rows inserted for rejected requests, and then commits.
//
// The batch compares the new reasons for low ratings with the stored reasons. It writes only
// changed reasons, because reasons are long.
//
// The batch holds a shared lock on the rollup state, so that during the batch, the time zone in
// which days are counted cannot change and no repair slice (rollups/repair.h) can run.
class VoteBatch {
 public:
  // All arguments must outlive the batch. "known_state" is the rollup state from an earlier batch,
  // or empty for the first batch. If the site's time zone has changed since "known_state" was read,
  // the batch is slower, but still correct.
  VoteBatch(db::Connection& connection, BurstWatch& watch, WriterId writer,
            const std::optional<rollups::RollupState>& known_state);

  // A callback that returns whether the result of a vote is still needed. The argument is the index
  // of the vote's first request.
  using IsWanted = std::function<bool(std::size_t)>;

  // Returns the objects in the requests, without duplicates.
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
    has_unclear_voters,  // nothing was done: run again with may_be_new set to false in all requests
  };

  // Runs and commits the batch, and advances the sequence number in the writer's row to
  // "numbers.after". If the batch changes nothing, rolls it back without changing the sequence
  // number. In "requests", a vote's first request is followed by the requests for the vote's parts
  // (VoteRequest::is_part). The function sets "results" before it commits the batch. If the
  // response to the commit is lost, run the batch again with the same "numbers" and "results". The
  // second run may use a different database server.
  //
  // After locking the voters' rows, the batch skips votes for which is_wanted() returns false. The
  // voter of a skipped vote was asked to vote again, so another writer may already have stored a
  // newer vote.
  //
  // Throws db::ConnectionLost if it is unknown whether the batch was committed. If the function
  // throws db::Conflict, db::BadData or db::Failure, nothing was changed.
  Status run(std::span<const VoteRequest> requests, const IsWanted& is_wanted,
             rollups::BatchNumbers numbers, Results& results);

  // Returns the visitors whose stored voters differ from the voters in the requests, together with
  // the stored voters. Call this function only after run() has returned Status::has_other_voters.
  [[nodiscard]] const store::VotersByVisitor& other_voters() const { return other_voters_; }

  // Returns the rollup state. Call this function only after run() has returned Status::done.
  [[nodiscard]] const rollups::RollupState& state() const { return *state_; }

  // Returns how long the commit in the last call to run() took, or nothing if there was no commit.
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
