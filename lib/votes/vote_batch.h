#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "rollups/batch_log.h"
#include "rollups/rollup_changes.h"
#include "rollups/rollup_state.h"
#include "rollups/totals_reader.h"
#include "rollups/writer_rows.h"
#include "store/front_end_visitors.h"
#include "votes/burst_watch.h"
#include "votes/counters.h"
#include "votes/refusal.h"
#include "votes/vote_request.h"
#include "votes/vote_result.h"

namespace votes {

// Identifies a writer: "id" is its row in the table of writers (rollups/writer_rows.h). "slot"
// selects one of several copies of the rollup rows that every vote changes, so that writers do not
// wait for each other there.
struct WriterId {
  static constexpr std::uint8_t kSlots = 16;

  explicit WriterId(std::uint64_t row) : id(row), slot(static_cast<std::uint8_t>(row % kSlots)) {}
  std::uint64_t id;
  std::uint8_t slot;
};

// DESIGN. One batch of vote requests is one transaction of a few multi-row statements, whatever the
// size of the batch. A batch of new voters takes as few as three round trips: one that locks, one
// that writes and reads the new totals, and the commit.
//
// Locks: rows are locked in the order rollup_state, writers, voters, votes, reasons, counters,
// site_daily, reach, totals, daily, users, user_daily, held, visitors, and in key order within a
// table; only voters who may be new are locked before other voters, and counters before votes if
// all of them may be new. So two batches rarely deadlock; if they do, they are repeated. The row of
// the log (rollups/batch_log.h) is the last one.
//
// Voters: a voter's row is inserted if it is missing, and locked. So two first votes of one voter
// run one after the other, even on two hosts. Most votes come from voters without a row: nothing
// else is read about them, and their rows are inserted as they will be if all their votes are
// stored. Only the others are written again. The number of inserted rows shows whether all voters
// are new who may be. If not, the rows that are as the batch inserts them are its own, unless there
// are more of them than it has inserted: then the batch must be run again without guesses. This
// needs a row for each voter with votes, also if all of them are held.
//
// Visitors of other front ends: their rows are added with the other writes, and read back in the
// same round trip. If one of them is another voter than its request says, the batch is rolled back
// and must be run again for that voter (store/front_end_visitors.h). That happens only if another
// session has added the row in between, with a number that another key gave. Batches without
// visitors have no statement for them.
//
// Decisions: votes are decided in memory, in their order, from the rows that were read under these
// locks. A vote with parts is refused if the rules refuse any of them, as things are before it, and
// uses limits once. Totals and rollups change by the sums of (new - old). A request that moves a
// rating locks and reads both voters in the same statements. The row of a voter holds what the
// rules count per voter; votes/counters.h holds what they count per address. A held rating is a row
// of votes that no rollup counts; it stays held when it changes. Held ratings cost no statement
// unless there are some, or rules that hold some.
//
// Refused requests leave no row: a batch without changes is rolled back. Other batches delete the
// rows that they inserted for refused requests before the commit.
//
// Reasons: those of stored low ratings are read, and written only if they change: apart from the
// other writes, since reasons are long.
//
// Rollups: the time zone of the days and the progress of a rebuild are read with a shared lock,
// which excludes a slice of the rebuild (rollups/rebuild.h). During a rebuild, changes are written
// to the current and to the new rollups.
class VoteBatch {
 public:
  // All must outlive the batch. "expected_zone": that of the rollups, as far as it is known; if it
  // is another one, voters are written twice.
  VoteBatch(db::Connection& connection, BurstWatch& watch, WriterId writer,
            const std::optional<base::Zone>& expected_zone);

  // Whether the vote whose first request has this index still waits for its result.
  using IsWanted = std::function<bool(std::size_t)>;

  // The objects of the requests, each once.
  static std::vector<model::Object> objects_of(std::span<const VoteRequest> requests);

  struct Results {
    std::vector<VoteResult> votes;  // one for each vote request
    rollups::StatsOf totals;        // of the objects of all vote requests, after the batch
  };

  enum class Outcome {
    done,               // "results" is set
    was_committed,      // by an earlier run, whose response was lost; its results are those
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
  Outcome run(std::span<const VoteRequest> requests, const IsWanted& is_wanted,
              rollups::BatchNumbers numbers, Results& results);

  // The voters of visitors, where they are not those of the requests. REQUIRES: run() has returned
  // has_other_voters.
  [[nodiscard]] const store::VotersByVisitor& other_voters() const { return other_voters_; }

  // The zone of the rollups. REQUIRES: run() has returned done.
  [[nodiscard]] const base::Zone& zone() const { return changes_.front().zone(); }

  // How long the commit took; nothing if there was no commit. REQUIRES: run() has returned.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> commit_duration() const {
    return commit_duration_;
  }

 private:
  struct VoterKey {  // a voter and an object
    model::Object object;
    model::VoterId voter;
    auto operator<=>(const VoterKey&) const = default;
  };
  struct Voter {  // a row of voters, but for the last active day, which changes_ have
    base::Time last_rated_at;
    std::int64_t ratings = 0;  // on the last active day
    bool operator==(const Voter&) const = default;
  };
  struct ExpectedVoter {
    Voter row;
    base::Day last_day = rollups::kNeverActive;
  };
  struct Saved {  // a row of votes to write
    model::OwnRating rating;
    std::string address;
    std::uint16_t agent = 0;
  };
  struct Hold {  // a row of held
    Reasons reasons = 0;
    base::Time held_at;
  };

  bool open(std::optional<db::Transaction>& transaction, std::span<const VoteRequest> requests,
            std::uint64_t sequence);
  void expect_voters(std::span<const VoteRequest> requests);
  [[nodiscard]] bool find_new_voters();
  [[nodiscard]] bool is_as_expected(model::VoterId voter) const;
  void lock_voters(std::span<const VoteRequest> requests);
  void read_rows(std::span<const model::VoterId> voters);
  void read_voters(const std::vector<model::VoterId>& known);
  void read_votes(std::span<const VoteRequest> requests);
  void read_held(std::span<const model::RatingKey> keys);
  void reserve(std::span<const VoteRequest> requests);
  void find_suspected(std::span<const VoteRequest> requests);
  void decide(VoteSpan vote, std::span<VoteResult> results);
  VoteResult::Outcome carry_out(const VoteRequest& request, const model::RatingKey& key,
                                const std::optional<model::OwnRating>& earlier);
  VoteResult::Outcome set(const VoteRequest& request, const model::RatingKey& key,
                          const std::optional<model::OwnRating>& earlier,
                          const std::optional<Hold>& hold);
  void withdraw(const model::RatingKey& key);
  void set_reason(const model::RatingKey& key, const std::string& reason);
  void note_activity(model::VoterId voter, base::Time at, bool is_counted);
  [[nodiscard]] std::optional<Hold> hold_for(const VoteRequest& request,
                                             const model::RatingKey& key, bool is_first) const;
  void use_limits(const VoteRequest& request, const VoterState& voter_state);
  [[nodiscard]] std::optional<model::OwnRating> rating_of(const model::RatingKey& key) const;
  [[nodiscard]] std::string earlier_reason(const VoteRequest& request) const;
  [[nodiscard]] std::vector<VoterState> states_of(VoteSpan vote) const;
  [[nodiscard]] VoterState state_of(const VoteRequest& request) const;
  [[nodiscard]] bool is_of_new_voter(VoteSpan vote) const;
  [[nodiscard]] bool has_rated(const model::Object& object, model::VoterId voter) const;
  [[nodiscard]] model::OwnRatings own_ratings(const model::Object& object,
                                              model::VoterId voter) const;
  [[nodiscard]] bool has_changes() const {
    return !saved_.empty() || !deleted_.empty() || !changed_reasons_.empty();
  }
  rollups::StatsOf write(std::span<const model::Object> objects, rollups::BatchNumbers numbers);
  void write_reasons();
  void write_rows(rollups::BatchNumbers numbers);
  void write_log(rollups::BatchNumbers numbers);
  void write_votes();
  void write_voters();
  void write_voters(const rollups::RollupChanges& changes);
  void write_held();
  void write_visitors();
  void note_other_voters(const store::VotersByVisitor& stored);
  void delete_unused_voters();

  db::Connection& connection_;
  BurstWatch& watch_;
  const WriterId writer_;

  const std::optional<base::Zone>& expected_zone_;
  std::map<model::VoterId, ExpectedVoter> expected_voters_;  // who may be new
  std::size_t inserted_voters_ = 0;
  std::set<model::VoterId> new_voters_;  // whose rows this batch has inserted
  std::map<model::VoterId, Voter> voter_rows_;
  Counters counters_;
  bool are_counters_locked_ = false;
  std::map<model::RatingKey, model::OwnRating> votes_;  // as stored, then as changed by the batch
  std::map<model::RatingKey, Saved> saved_;
  std::set<model::RatingKey> deleted_;
  bool withdraws_ = false;                         // a rating, even if another one takes its place
  std::map<model::RatingKey, Reasons> suspected_;  // first votes of this batch
  std::map<model::RatingKey, Hold> held_;          // the held ones of votes_
  std::set<model::RatingKey> saved_holds_, deleted_holds_;
  std::map<model::RatingKey, std::string> reasons_;  // of votes_
  std::set<model::RatingKey> changed_reasons_;
  std::set<model::VoterId> changed_voters_;
  std::map<model::VoterId, store::FrontEndVisitorRow> visitors_;  // whose ratings are stored
  store::VotersByVisitor other_voters_;
  std::optional<std::chrono::nanoseconds> commit_duration_;
  std::vector<rollups::RollupChanges> changes_;  // of the current rollups, then of new ones
};

}  // namespace votes
