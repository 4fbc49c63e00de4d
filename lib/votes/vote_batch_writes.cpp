#include <algorithm>

#include "db/bulk_statement.h"
#include "db/multi_statement.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "votes/vote_batch.h"
#include "votes/vote_statements.h"

// What VoteBatch writes once its votes are decided (votes/vote_batch.cpp).

namespace votes {

using model::Object;
using model::RatingKey;
using model::VoterId;

// Writes what has changed, and returns the new totals of "objects".
rollups::StatsOf VoteBatch::write(std::span<const Object> objects, rollups::BatchNumbers numbers) {
  rollups::StatsOf totals;
  std::optional<std::uint64_t> sequence_now;
  std::vector<model::FrontEndVisitor> visitors;
  for (const auto& [voter, row] : visitors_) visitors.push_back(row.visitor);
  write_reasons();
  if (withdraws_) {
    write_rows(numbers);
    totals = rollups::read_totals(connection_, objects);
    if (!visitors.empty()) {
      note_other_voters(store::voters_of(connection_, visitors));
    }
    sequence_now = rollups::read_sequence(connection_, writer_.id);
  } else {
    db::MultiStatement writes(connection_);
    write_rows(numbers);
    rollups::add_read_totals(connection_, objects);
    if (!visitors.empty()) store::add_read_voters(connection_, visitors);
    rollups::add_read_sequence(connection_, writer_.id);
    std::vector<db::Rows> results = writes.run();
    totals = rollups::stats_in_rows(results.front(), objects);
    if (!visitors.empty()) note_other_voters(store::voters_in(results.at(1)));
    sequence_now = rollups::sequence_in(results.back());
  }
  // A node of a cluster may have undone the transaction between two statements of a packet.
  if (sequence_now != numbers.after) throw db::Conflict(0, "the transaction was undone");
  return totals;
}

// Only inserts and updates by INSERT ... ON DUPLICATE KEY UPDATE, unless ratings are withdrawn.
void VoteBatch::write_rows(rollups::BatchNumbers numbers) {
  write_votes();
  write_voters();
  for (const rollups::RollupChanges& changes : changes_) changes.write(connection_);
  write_held();
  write_visitors();
  write_log(numbers);
}

void VoteBatch::write_votes() {
  const auto rows = db::rows_of(saved_);
  kSaveVotes.execute(connection_, db::span_of(rows),
                     [&](db::Statement& statement, const auto& row, bool repetition) {
                       const auto& [key, saved] = row;
                       store::bind_key(statement, key, repetition);
                       statement.bind(std::int64_t{saved.rating.value});
                       statement.bind(std::int64_t{held_.count(key) > 0 ? 1 : 0});
                       statement.bind(saved.rating.rated_at).bind(saved.rating.rated_at);
                       statement.bind(saved.address).bind(std::int64_t{saved.agent});
                     });
  for (const RatingKey& key : deleted_) {
    db::Statement& statement = connection_.prepare(kDeleteVote);
    store::bind_key(statement, key, false);
    statement.execute();
  }
}

void VoteBatch::write_reasons() {
  std::map<RatingKey, store::ReasonRow> saved;
  std::vector<RatingKey> deleted;
  for (const RatingKey& key : changed_reasons_) {
    const auto reason = reasons_.find(key);
    if (reason == reasons_.end()) deleted.push_back(key);
    if (reason != reasons_.end()) saved[key] = {votes_.at(key).rated_at, reason->second};
  }
  store::remove_reasons(connection_, deleted);
  store::save_reasons(connection_, saved);
}

void VoteBatch::write_held() {
  const auto deleted = db::rows_of(deleted_holds_);
  kDeleteHeld.execute(connection_, db::span_of(deleted), store::bind_key);
  const auto saved = db::rows_of(saved_holds_);
  kSaveHeld.execute(connection_, db::span_of(saved),
                    [&](db::Statement& statement, const RatingKey& key, bool repetition) {
                      const Hold& hold = held_.at(key);
                      store::bind_key(statement, key, repetition);
                      statement.bind(std::int64_t{hold.reasons}).bind(hold.held_at);
                    });
}

void VoteBatch::write_visitors() {
  std::vector<store::FrontEndVisitorRow> rows;
  for (const auto& [voter, row] : visitors_) rows.push_back(row);
  store::add_visitors(connection_, rows);
}

void VoteBatch::write_log(rollups::BatchNumbers numbers) {
  rollups::Changed changed;
  const auto add = [&](const RatingKey& key) {
    changed.objects.insert(key.object);
    changed.voters.insert(key.voter);
  };
  for (const auto& [key, saved] : saved_) add(key);
  for (const RatingKey& key : deleted_) add(key);
  rollups::log_batch(connection_, writer_.id, numbers, changed);
}

void VoteBatch::note_other_voters(const store::VotersByVisitor& stored) {
  for (const auto& [voter, row] : visitors_) {
    const auto found = stored.find(row.visitor);
    if (found != stored.end() && found->second != voter) other_voters_.insert(*found);
  }
}

void VoteBatch::write_voters() {
  for (const rollups::RollupChanges& changes : changes_) write_voters(changes);
}

void VoteBatch::write_voters(const rollups::RollupChanges& changes) {
  std::set<VoterId> changed = changed_voters_;
  if (!changes.is_for_rebuild()) {
    std::erase_if(changed, [&](VoterId voter) { return is_as_expected(voter); });
    for (const VoterId voter : new_voters_) {
      if (!is_as_expected(voter)) changed.insert(voter);
    }
  }
  std::vector<VoterId> voters;
  for (const VoterId voter : changed) {
    if (changes.last_day(voter)) voters.push_back(voter);
  }
  const db::BulkStatement& save = changes.is_for_rebuild() ? kSaveNewVoters : kSaveVoters;
  save.execute(connection_, db::span_of(voters),
               [&](db::Statement& statement, VoterId voter, bool) {
                 const Voter& row = voter_rows_.at(voter);
                 statement.bind(voter).bind(changes.last_day(voter).value());
                 statement.bind(row.last_rated_at).bind(row.ratings);
               });
}

// Whether the row of "voter" was inserted as it is now.
bool VoteBatch::is_as_expected(VoterId voter) const {
  if (!new_voters_.contains(voter)) return false;
  const ExpectedVoter& expected = expected_voters_.at(voter);
  return voter_rows_.at(voter) == expected.row &&
         changes_.front().last_day(voter) == expected.last_day;
}

// Deletes the rows of voters without votes and without anything that a rule counts. Most of them
// were inserted for votes that were refused.
void VoteBatch::delete_unused_voters() {
  std::vector<VoterId> unused;
  for (const auto& [voter, row] : voter_rows_) {
    const bool was_active = changes_.front().last_day(voter).value() != rollups::kNeverActive;
    const bool is_counted = row.ratings > 0 || row.last_rated_at > base::Time();
    if (!was_active && !is_counted) unused.push_back(voter);
  }
  kDeleteUnusedVoters.execute(connection_, unused);
}

}  // namespace votes
