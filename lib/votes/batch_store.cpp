#include "votes/batch_store.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <optional>

#include "db/bulk_statement.h"
#include "db/multi_statement.h"
#include "rollups/rollup_state.h"
#include "rollups/writers.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "votes/counters.h"
#include "votes/decisions.h"

namespace votes {
namespace {

using model::RatingKey;
using model::VoterId;

struct VoterKey {  // a voter and an object
  model::Object object;
  VoterId voter;
  auto operator<=>(const VoterKey&) const = default;
};

template <typename Value>
void sort_unique(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void bind_new_row(db::Statement& statement, VoterId voter, bool) {
  statement.bind(voter).bind(rollups::kNeverActive).bind(base::Time()).bind(std::int64_t{0});
}

// Reads the number of changed rows from the result of db::MultiStatement::add_changed_rows().
std::int64_t changed_rows_in(db::Rows& row) { return row.next() ? row.integer(1) : 0; }

}  // namespace

// Predicts the rows in the ratingd_voters table for voters who may be new, assuming that these
// voters have no rows yet and that all their votes will be stored and counted.
void BatchReader::expect_voters() {
  for_each_vote(requests_, [&](VoteSpan vote, std::size_t) {
    const VoteRequest& request = vote.front();
    if (!request.may_be_new) return;
    VoterRow& voter = rows_.inserted[request.key.voter];
    if (!known_state_ || !sets_ratings(vote)) return;
    voter.last_day = std::max(voter.last_day, known_state_->zones.day_of(request.received_at));
    voter.last_rated_at = std::max(voter.last_rated_at, request.received_at);
    if (request.rules.max_per_day > 0) ++voter.ratings;
  });
}

bool BatchReader::open(std::optional<db::Transaction>& transaction, WriterId writer,
                       std::uint64_t sequence) {
  expect_voters();
  db::MultiStatement opening(connection_);
  transaction.emplace(connection_);
  rollups::add_lock_shared(connection_);
  rollups::add_raise_sequence(connection_, writer.id, sequence);
  opening.add_changed_rows();
  if (!rows_.inserted.empty()) {
    kLockVoters.execute(connection_, rows_.inserted,
                        [](db::Statement& statement, const auto& voter, bool) {
                          const auto& [id, row] = voter;
                          statement.bind(id).bind(row.last_day);
                          statement.bind(row.last_rated_at).bind(row.ratings);
                        });
    opening.add_changed_rows();
  }
  if (std::ranges::all_of(requests_, &VoteRequest::may_be_new)) {
    rows_.allowances = allowances_for(rows_, requests_);
    begin_lock_counters(connection_, rows_.allowances);
    opening.add_changed_rows();
    are_counters_locked_ = true;
  }
  std::vector<db::Rows> results = opening.run();
  auto result = results.begin();  // each result is used once, in the order of the statements
  db::Rows& stored_state = *result++;
  if (changed_rows_in(*result++) == 0) return false;
  state_ = rollups::locked_state(connection_, stored_state, known_state_);
  if (state_->has_old_rebuild) {
    transaction.reset();
    rollups::end_old_rebuild(connection_);
    throw db::Conflict(0, "version 0.3 had begun to rebuild the sums");
  }
  changes_.emplace(*state_, writer.slot);
  rows_.zones = state_->zones;
  if (!rows_.inserted.empty()) {
    inserted_ = static_cast<std::size_t>(changed_rows_in(*result++));
  }
  if (are_counters_locked_) {
    end_lock_counters(connection_, changed_rows_in(*result++), rows_.allowances);
  }
  return true;
}

bool BatchReader::read() {
  if (!find_new_voters()) return false;
  lock_voters();
  read_votes();
  if (are_counters_locked_) return true;
  rows_.allowances = allowances_for(rows_, requests_);
  lock_counters(connection_, rows_.allowances);
  return true;
}

// Removes from rows_.inserted the voters whose rows already existed before the batch. Returns false
// if it is unclear which voters are new, because an existing row is identical to the row that the
// batch tried to insert.
bool BatchReader::find_new_voters() {
  if (rows_.inserted.size() == inserted_) return true;
  std::vector<VoterId> voters;
  for (const auto& [voter, row] : rows_.inserted) voters.push_back(voter);
  read_voters(voters);
  std::erase_if(rows_.inserted,
                [&](const auto& row) { return rows_.voters.at(row.first) != row.second; });
  return rows_.inserted.size() == inserted_;
}

// Locks the rows of all voters for whom open() has not inserted a row, inserting any missing rows.
void BatchReader::lock_voters() {
  std::vector<VoterId> known;
  for (const VoteRequest& request : requests_) {
    known.push_back(request.key.voter);
    if (!request.moved_from) continue;
    assert(model::is_anonymous(*request.moved_from) && !model::is_anonymous(request.key.voter));
    known.push_back(*request.moved_from);
  }
  std::erase_if(known, [&](VoterId voter) { return rows_.inserted.contains(voter); });
  sort_unique(known);
  kLockVoters.execute(connection_, known, bind_new_row);
  read_voters(known);
  for (const auto& [voter, row] : rows_.inserted) {
    changes_->set_last_day(voter, rollups::kNeverActive);
    rows_.voters[voter] = {};
  }
}

void BatchReader::read_voters(std::span<const VoterId> voters) {
  kReadVoters.query(connection_, voters, [&](const db::Rows& row) {
    const VoterRow& voter =
        rows_.voters[row.unsigned_integer(1)] = {row.day(2), row.time(3), row.integer(4)};
    changes_->set_last_day(row.unsigned_integer(1), voter.last_day);
  });
}

void BatchReader::read_votes() {
  std::vector<VoterKey> keys;
  for (const VoteRequest& request : requests_) {
    const auto& [object, category, voter] = request.key;
    if (!rows_.inserted.contains(voter)) {
      keys.push_back({object, voter});
      for (const std::string& type : request.related_types) {
        keys.push_back({{object.id, type}, voter});
      }
    }
    if (request.moved_from) keys.push_back({object, *request.moved_from});
  }
  sort_unique(keys);
  std::vector<RatingKey> held;
  std::vector<model::Rating> ratings;
  kReadVotes.query(
      connection_, keys,
      [](db::Statement& statement, const VoterKey& key, bool) {
        statement.bind(key.object.id).bind(key.object.type).bind(key.voter);
      },
      [&](const db::Rows& row) {
        const model::Rating& rating = ratings.emplace_back(store::rating_in(row));
        rows_.ratings[rating.key] = {rating.value, rating.rated_at};
        if (row.integer(7) != 0) held.push_back(rating.key);
        const auto agent = static_cast<std::uint16_t>(row.integer(8));
        if (agent != 0) rows_.agents[rating.key] = agent;
      });
  read_holds(held);
  rows_.reasons = store::reasons_of(connection_, ratings);
}

// The ratingd_held table needs no lock, because code that changes one of its rows first locks the
// vote's row.
void BatchReader::read_holds(std::span<const RatingKey> keys) {
  for (const RatingKey& key : keys) rows_.holds[key] = {0, rows_.ratings.at(key).rated_at};
  kReadHeld.query(connection_, keys, store::bind_key, [&](const db::Rows& row) {
    rows_.holds[store::key_in(row)] = {static_cast<Reasons>(row.integer(5)), row.time(6)};
  });
}

// --- BatchWriter ---------------------------------------------------------------------------------

namespace {

using model::Object;

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
  // A cluster node may have rolled back the transaction between two statements in the same packet.
  if (sequence_now != numbers.after) throw db::Conflict(0, "the transaction was undone");
  return written;
}

void BatchWriter::write_rows(std::uint64_t writer, rollups::BatchNumbers numbers) {
  write_votes();
  write_voters();
  changes_.write(connection_);
  write_holds();
  write_visitors();
  write_log(writer, numbers);
}

void BatchWriter::write_votes() {
  kSaveVotes.execute(connection_, decisions_.saved,
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
  kDeleteHeld.execute(connection_, decisions_.deleted_holds, store::bind_key);
  kSaveHeld.execute(connection_, decisions_.saved_holds,
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
