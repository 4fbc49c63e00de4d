#include "votes/batch_writer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "db/bulk_statement.h"
#include "db/multi_statement.h"
#include "rollups/writers.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "votes/vote_statements.h"

namespace votes {
namespace {

using model::Object;
using model::RatingKey;
using model::VoterId;

void count(const CountedChange& change, rollups::RollupChanges& changes) {
  if (!change.after) {
    changes.withdraw(change.key, *change.before);
    return;
  }
  if (change.before) changes.subtract(change.key, *change.before);
  changes.add(change.key, *change.after);
  changes.note_activity(change.key.voter, changes.zones().day_of(change.after->rated_at));
}

}  // namespace

BatchWriter::BatchWriter(db::Connection& connection, const Decisions& decisions,
                         rollups::RollupChanges& changes)
    : connection_(connection), decisions_(decisions), changes_(changes) {
  for (const CountedChange& change : decisions_.counted) count(change, changes_);
}

BatchWriter::Written BatchWriter::write(std::span<const Object> objects, std::uint64_t writer,
                                        rollups::BatchNumbers numbers) {
  Written written;
  std::optional<std::uint64_t> sequence_now;
  std::vector<model::FrontEndVisitor> visitors;
  for (const auto& [voter, row] : decisions_.visitors) visitors.push_back(row.visitor);
  write_reasons();
  if (decisions_.withdraws) {
    write_rows(writer, numbers);
    written.totals = rollups::read_totals(connection_, objects);
    if (!visitors.empty()) {
      written.other_voters = others_in(store::voters_of(connection_, visitors));
    }
    sequence_now = rollups::read_sequence(connection_, writer);
  } else {
    db::MultiStatement writes(connection_);
    write_rows(writer, numbers);
    rollups::add_read_totals(connection_, objects);
    if (!visitors.empty()) store::add_read_voters(connection_, visitors);
    rollups::add_read_sequence(connection_, writer);
    std::vector<db::Rows> results = writes.run();
    written.totals = rollups::stats_in_rows(results.front(), objects);
    if (!visitors.empty()) written.other_voters = others_in(store::voters_in(results.at(1)));
    sequence_now = rollups::sequence_in(results.back());
  }
  // A node in a cluster may have undone the transaction between two statements in a packet.
  if (sequence_now != numbers.after) throw db::Conflict(0, "the transaction was undone");
  return written;
}

// Inserts and updates rows with INSERT ... ON DUPLICATE KEY UPDATE. Uses other statements only if
// ratings are withdrawn.
void BatchWriter::write_rows(std::uint64_t writer, rollups::BatchNumbers numbers) {
  write_votes();
  write_voters();
  changes_.write(connection_);
  write_holds();
  write_visitors();
  write_log(writer, numbers);
}

void BatchWriter::write_votes() {
  const auto rows = db::rows_of(decisions_.saved);
  kSaveVotes.execute(connection_, db::span_of(rows),
                     [&](db::Statement& statement, const auto& row, bool repetition) {
                       const auto& [key, saved] = row;
                       store::bind_key(statement, key, repetition);
                       statement.bind(std::int64_t{saved.rating.value});
                       statement.bind(std::int64_t{decisions_.rows.holds.contains(key) ? 1 : 0});
                       statement.bind(saved.rating.rated_at).bind(saved.rating.rated_at);
                       statement.bind(saved.address).bind(std::int64_t{saved.agent});
                     });
  for (const RatingKey& key : decisions_.deleted) {
    db::Statement& statement = connection_.prepare(kDeleteVote);
    store::bind_key(statement, key, false);
    statement.execute();
  }
}

void BatchWriter::write_reasons() {
  const BatchRows& rows = decisions_.rows;
  std::map<RatingKey, store::ReasonRow> saved;
  std::vector<RatingKey> deleted;
  for (const RatingKey& key : decisions_.changed_reasons) {
    const auto reason = rows.reasons.find(key);
    if (reason == rows.reasons.end()) deleted.push_back(key);
    if (reason != rows.reasons.end()) saved[key] = {rows.ratings.at(key).rated_at, reason->second};
  }
  store::remove_reasons(connection_, deleted);
  store::save_reasons(connection_, saved);
}

void BatchWriter::write_holds() {
  const auto deleted = db::rows_of(decisions_.deleted_holds);
  kDeleteHeld.execute(connection_, db::span_of(deleted), store::bind_key);
  const auto saved = db::rows_of(decisions_.saved_holds);
  kSaveHeld.execute(connection_, db::span_of(saved),
                    [&](db::Statement& statement, const RatingKey& key, bool repetition) {
                      const Hold& hold = decisions_.rows.holds.at(key);
                      store::bind_key(statement, key, repetition);
                      statement.bind(std::int64_t{hold.reasons}).bind(hold.held_at);
                    });
}

void BatchWriter::write_visitors() {
  std::vector<store::FrontEndVisitorRow> rows;
  for (const auto& [voter, row] : decisions_.visitors) rows.push_back(row);
  store::add_visitors(connection_, rows);
}

void BatchWriter::write_log(std::uint64_t writer, rollups::BatchNumbers numbers) {
  rollups::Changed changed;
  const auto add = [&](const RatingKey& key) {
    changed.objects.insert(key.object);
    changed.voters.insert(key.voter);
  };
  for (const auto& [key, saved] : decisions_.saved) add(key);
  for (const RatingKey& key : decisions_.deleted) add(key);
  rollups::log_batch(connection_, writer, numbers, changed);
}

store::VotersByVisitor BatchWriter::others_in(const store::VotersByVisitor& stored) const {
  store::VotersByVisitor others;
  for (const auto& [voter, row] : decisions_.visitors) {
    const auto found = stored.find(row.visitor);
    if (found != stored.end() && found->second != voter) others.insert(*found);
  }
  return others;
}

void BatchWriter::write_voters() {
  const BatchRows& rows = decisions_.rows;
  std::vector<VoterId> voters;
  std::ranges::copy_if(decisions_.changed_voters, std::back_inserter(voters),
                       [&](VoterId voter) { return !rows.inserted.contains(voter); });
  for (const auto& [voter, row] : rows.inserted) {
    if (rows.voters.at(voter) != row) voters.push_back(voter);
  }
  std::ranges::sort(voters);
  kSaveVoters.execute(connection_, voters, [&](db::Statement& statement, VoterId voter) {
    const VoterRow& row = rows.voters.at(voter);
    statement.bind(voter, row.last_day, row.last_rated_at, row.ratings);
  });
}

void BatchWriter::delete_unused_voters() {
  std::vector<VoterId> unused;
  for (const auto& [voter, row] : decisions_.rows.voters) {
    const bool was_active = row.last_day != rollups::kNeverActive;
    const bool is_counted = row.ratings > 0 || row.last_rated_at > base::Time();
    if (!was_active && !is_counted) unused.push_back(voter);
  }
  kDeleteUnusedVoters.execute(connection_, unused);
}

}  // namespace votes
