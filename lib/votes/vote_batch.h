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
// Locks: a batch locks rows in the order rollup_state, writers, voters, votes, reasons, counters,
// site_daily, reach, totals, daily, users, user_daily, held, visitors, and in key order within a
// table. There are two exceptions: voters who may be new are locked before other voters, and if all
// voters may be new, counters are locked before votes. Because of this order, two batches rarely
// deadlock. If two batches deadlock, one batch is repeated. After all other rows, the batch locks
// its row in the log of changes (rollups/writers.h).
//
// Voters: a batch locks each voter's row, after it has inserted missing rows. Thus, the first two
// votes by a new voter are processed one after the other, even on two hosts. Most votes come from
// voters without a row. If a voter may be new, the batch does not read the voter's data. Instead,
// the batch assumes that the voter has no row yet and that all of the voter's votes will be stored,
// and inserts a row with the matching content. The batch writes this row again only if its content
// turns out to be wrong. The number of inserted rows shows whether all voters who may be new had no
// row before the batch. If fewer rows were inserted than expected, the batch reads the rows and
// compares them with the content that it tried to insert. If the batch finds more matching rows
// than it has inserted, it is uncertain which voters are new, and the batch must be run again with
// may_be_new set to false in all requests. Because new voters are recognized by their missing row,
// each voter with votes must have a row, even if all of the voter's votes are held.
//
// Visitors from other front ends: the batch inserts missing rows into the table ratingd_visitors
// when it writes its other changes, and reads the rows back in the same round trip. If a visitor's
// row contains a different voter than the request, the batch is rolled back and must be run again
// for the voter in the row (store/front_end_visitors.h). A visitor's row can contain a different
// voter only if another session has added the row in the meantime and has computed the voter id
// with a different key. A batch without visitors runs no statement for visitors.
//
// Decisions: the run() function reads all rows (votes/batch_store.h), decides the votes in memory
// with pure functions (votes/decisions.h), and writes the changes (votes/batch_store.h). The
// differences between the new and the old ratings are added to the totals and the rollups. If a
// request moves a rating, both voters are locked and read in the same statements. The numbers that
// the rules use for each voter are in the voter's row. The numbers that the rules use for each
// address are in the counters (votes/counters.h). A held rating is a row in the votes table that no
// rollup counts. A held rating stays held when it changes. Additional statements for held ratings
// are needed only if a rating is held or a rule may hold ratings.
//
// Refused requests leave no rows in the database. A batch without changes is rolled back. A batch
// with changes deletes the rows that it has inserted for refused requests, and then commits.
//
// Reasons: the batch reads the reasons for stored low ratings. Because reasons are long, the batch
// writes only changed reasons, in a separate statement.
//
// Rollups: the batch holds a shared lock on the rollup state until the batch ends. So the time zone
// in which days are counted cannot change during the batch, and no repair slice (rollups/repair.h)
// can run.
class VoteBatch {
 public:
  // All arguments must outlive the batch. "known_state" is the rollup state that an earlier batch
  // has read, and is empty for the first batch. If the site's time zones have changed since the
  // earlier batch, this batch must read the zones again, and must correct the rows that it has
  // inserted for new voters.
  VoteBatch(db::Connection& connection, BurstWatch& watch, WriterId writer,
            const std::optional<rollups::RollupState>& known_state);

  // Returns whether somebody is still waiting for the result of a vote. The callback's argument is
  // the index of the vote's first request.
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
    has_known_voters,   // nothing was done: run again with may_be_new set to false in all requests
  };

  // Runs and commits the batch, and raises the sequence number in the writer's row to
  // "numbers.after". If the batch changes nothing, rolls the batch back, so that the sequence
  // number stays the same. In "requests", a vote's first request is followed by the requests for
  // the vote's parts (VoteRequest::is_part). The function sets "results" before it commits the
  // batch. If the response to the commit is lost, run the batch again with the same "numbers" and
  // "results". The second run may use a different database server.
  //
  // After the batch has locked the voters' rows, it skips each vote whose result nobody is waiting
  // for any longer. The voter of a skipped vote was asked to vote again, so a different writer may
  // already have stored a newer vote.
  //
  // Throws db::ConnectionLost if it is unknown whether the batch was committed. If the function
  // throws db::Conflict, db::BadData or db::Failure, nothing was changed.
  Status run(std::span<const VoteRequest> requests, const IsWanted& is_wanted,
             rollups::BatchNumbers numbers, Results& results);

  // Returns the visitors whose stored voters differ from the voters in the requests, together with
  // the stored voters. Call this function only after run() has returned has_other_voters.
  [[nodiscard]] const store::VotersByVisitor& other_voters() const { return other_voters_; }

  // Returns the rollup state. Call this function only after run() has returned done.
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
