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
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "rollups/rollup_changes.h"
#include "rollups/rollup_state.h"
#include "votes/burst_watch.h"
#include "votes/counters.h"
#include "votes/rules.h"
#include "votes/vote_request.h"

namespace votes {

// The texts of the statements that a batch of votes runs, made once.
struct VoteStatements {
  explicit VoteStatements(const std::string& table_prefix);

  rollups::RollupStateStore state;
  db::BulkStatement lock_voters, read_voters, save_voters, save_new_voters, delete_unused_voters;
  db::BulkStatement read_votes, save_votes;
  db::BulkStatement read_held, save_held, delete_held;
  rollups::AllRollupStatements changes;
  CounterStatements counters;
  std::string delete_vote, save_sequence, lock_sequence;
  // Notes a change by somebody who is no writer, in its transaction: in the row of writer 0.
  std::string note_change;
};

// Identifies a writer: its row in the table of writers, and its share of the rows that every vote
// touches, so that writers do not wait for each other there.
struct WriterId {
  std::uint64_t id = 0;
  std::uint8_t slot = 0;
};

// DESIGN. One batch of vote requests in one transaction, a handful of multi-row statements whatever
// its size. Rows are locked in the order rollup_state, voters, votes, counters, totals, daily,
// site_daily, users, user_daily, reach, held, and in key order within a table, but voters who may
// be new before the others: so two batches rarely deadlock, and are repeated if they do. A voter's
// row is made first if need be, then locked: two first votes of one voter, even from two hosts,
// come one after the other. Most votes come from voters who have no row yet. The number of rows
// that the insert has made tells whether that is true for all of the batch; if so, nothing else is
// read of these voters. A voter of whom only held votes are known has a row, too, or that
// conclusion would be wrong.
//
// Vote requests are decided in memory, in their order, against the rows read under these locks;
// totals and rollups change by the sums of (new - old). A vote request that carries a rating over
// locks and reads both voters, in the same statements. What the rules count of one voter is in the
// voter's row, which is locked and read anyway; what they count of an address, see
// votes/counters.h. A held rating is a row of votes like others, but no sum has it; it stays held
// when it changes. Nothing is read or written for that unless there are such ratings, or rules that
// hold some.
//
// What is refused leaves no row: a batch without changes is rolled back, and of others the rows
// that were made for refused votes are deleted before the commit.
//
// The zone in which days are counted, and how far a rebuild has come, are read with a shared lock
// that a rebuild excludes (rollups/rebuild.h); what is changed in the rollups while there is one,
// is changed in the new ones, too.
class VoteBatch {
 public:
  // All must outlive the batch.
  VoteBatch(db::Connection& connection, const VoteStatements& statements, BurstWatch& watch,
            WriterId writer);

  // Whether anybody still waits for the vote request with this index.
  using IsWanted = std::function<bool(std::size_t)>;

  // Runs the batch up to and with its commit, and writes "sequence" into the writer's row, unless
  // nothing changes.
  // "results" has one result for each vote request, without stats, valid if the commit took place:
  // also when its answer was lost.
  //
  // A vote request that is not wanted any more when the voters' rows are locked is passed over: its
  // voter was told to repeat it, may have done so by another writer, and must not be overtaken by
  // the past.
  //
  // Errors: db::ConnectionLost - whether the batch was committed is unknown.
  //         db::Conflict, db::BadData, db::Failure - nothing was changed.
  void run(std::span<const VoteRequest> requests, const IsWanted& is_wanted, std::uint64_t sequence,
           std::vector<VoteResult>& results);

  // How long the commit took; nothing if there was none. REQUIRES: run() has returned.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> commit_duration() const {
    return commit_duration_;
  }

 private:
  struct VoterKey {  // whose ratings of which object
    model::Object object;
    model::VoterId voter;
    auto operator<=>(const VoterKey&) const = default;
  };
  struct Voter {  // a row of voters
    base::Time last_rated_at;
    std::int64_t ratings = 0;  // on the last active day
  };
  struct Saved {  // a row of votes to be written
    model::OwnRating rating;
    std::string address;
    std::uint16_t agent = 0;
  };
  struct Hold {  // a row of held
    Reasons reasons = 0;
    base::Time held_at;
  };

  [[nodiscard]] const base::Zone& zone() const { return changes_.front().zone(); }
  void lock_voters(std::span<const VoteRequest> requests);
  void read_voters(const std::vector<model::VoterId>& known);
  void read_votes(std::span<const VoteRequest> requests);
  void read_held(std::span<const model::RatingKey> keys);
  void lock_counters(std::span<const VoteRequest> requests);
  void suspect(std::span<const VoteRequest> requests);
  VoteResult decide(const VoteRequest& request);
  VoteResult::Outcome carry_out(const VoteRequest& request, const model::RatingKey& key,
                                const std::optional<model::OwnRating>& earlier);
  VoteResult::Outcome set(const VoteRequest& request, const model::RatingKey& key,
                          const std::optional<model::OwnRating>& earlier,
                          const std::optional<Hold>& hold);
  void withdraw(const model::RatingKey& key);
  void note_activity(model::VoterId voter, base::Time at, bool is_counted);
  [[nodiscard]] std::optional<Hold> hold_for(const VoteRequest& request,
                                             const model::RatingKey& key, bool is_first) const;
  void use_allowances(const VoteRequest& request, const VoterState& voter_state);
  [[nodiscard]] std::optional<model::OwnRating> rating_of(const model::RatingKey& key) const;
  [[nodiscard]] VoterState standing_of(const VoteRequest& request) const;
  [[nodiscard]] bool has_rated(const model::Object& object, model::VoterId voter) const;
  [[nodiscard]] model::OwnRatings own_ratings(const model::Object& object,
                                              model::VoterId voter) const;
  [[nodiscard]] bool has_changes() const { return !saved_.empty() || !deleted_.empty(); }
  void write_votes();
  void write_voters();
  void write_voters(const rollups::RollupChanges& changes);
  void write_held();
  void delete_unused_voters();
  void write_sequence(std::uint64_t sequence);

  db::Connection& connection_;
  const VoteStatements& statements_;
  BurstWatch& watch_;
  const WriterId writer_;

  std::set<model::VoterId> new_voters_;  // those whose rows this batch has made, if it is known
  std::map<model::VoterId, Voter> voter_rows_;
  Counters counters_;
  std::map<model::RatingKey, model::OwnRating> votes_;  // as stored, then as they will be
  std::map<model::RatingKey, Saved> saved_;
  std::set<model::RatingKey> deleted_;
  std::map<model::RatingKey, Reasons> suspected_;  // first votes of this batch
  std::map<model::RatingKey, Hold> held_;          // those of votes_ that are not counted
  std::set<model::RatingKey> saved_holds_, deleted_holds_;
  std::set<model::VoterId> changed_voters_;
  std::optional<std::chrono::nanoseconds> commit_duration_;
  std::vector<rollups::RollupChanges>
      changes_;  // of each set of rollups, those that everybody reads first
};

}  // namespace votes
