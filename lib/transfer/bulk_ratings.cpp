#include "transfer/bulk_ratings.h"

#include <algorithm>
#include <cassert>

#include "db/transaction.h"
#include "store/rating_key_sql.h"

namespace transfer {
namespace {

using model::RatingKey;
using model::VoterId;

constexpr int kAttemptsOfPart = 4;  // of a part (in_parts())
constexpr base::Time kLatest =
    base::Day(std::chrono::year(9999) / 1 / 1);  // that the database stores

void bind_voter(db::Statement& statement, VoterId voter, bool) { statement.bind(voter); }

}  // namespace

MergeCounts& MergeCounts::operator+=(const MergeCounts& other) {
  added += other.added;
  changed += other.changed;
  kept += other.kept;
  rolled_up += other.rolled_up;
  return *this;
}

BulkRatings::BulkRatings(const std::string& table_prefix)
    : voter_days_(table_prefix), votes_(table_prefix), statements_(table_prefix) {}

MergeCounts BulkRatings::merge(db::Connection& connection, std::span<const StoredRating> ratings,
                               MergeMemory& memory) const {
  assert(ratings.size() <= kAtOnce);
  MergeCounts counts;
  in_parts(ratings, [&](const auto& part) { counts += merge_part(connection, part, memory); });
  return counts;
}

MergeCounts BulkRatings::merge_part(db::Connection& connection,
                                    std::span<const StoredRating> ratings,
                                    MergeMemory& memory) const {
  MergeCounts counts;
  const auto merge_all = [&] { return merge_in(connection, ratings, memory, counts); };
  if (!db::in_transaction_if(connection, kAttemptsOfPart, merge_all)) {
    memory.are_probably_new = false;
    db::in_transaction_if(connection, kAttemptsOfPart, merge_all);
  }
  memory.are_probably_new = counts.changed + counts.kept + counts.rolled_up == 0;
  memory.active_days.commit();
  return counts;
}

std::size_t BulkRatings::remove(db::Connection& connection, std::span<const RatingKey> keys,
                                base::Time before) const {
  assert(keys.size() <= kAtOnce);
  std::size_t removed = 0;
  in_parts(keys, [&](const auto& part) {
    std::size_t more = 0;
    db::in_transaction(connection, kAttemptsOfPart,
                       [&] { more = remove_in(connection, part, before); });
    removed += more;
  });
  return removed;
}

void BulkRatings::remove_unused_voters(db::Connection& connection,
                                       std::span<const VoterId> voters) const {
  assert(voters.size() <= kAtOnce);
  db::in_transaction(connection, kAttemptsOfPart, [&] {
    remove_unused_voters_in(connection, {voters.begin(), voters.end()});
  });
}

std::size_t BulkRatings::erase_addresses(db::Connection& connection,
                                         std::span<const RatingKey> keys, base::Time before) const {
  assert(keys.size() <= kAtOnce);
  const base::Time end = std::min(before, kLatest);
  std::size_t erased = 0;
  db::in_transaction(connection, kAttemptsOfPart, [&] {
    erased = statements_.erase_addresses.execute(
        connection, keys, [&](db::Statement& statement, const RatingKey& key, bool repetition) {
          store::bind_key(statement, key, repetition);
          statement.bind(end);
        });
  });
  return erased;
}

// False: ratings are stored that were taken for new ones, so that this must be rolled back.
bool BulkRatings::merge_in(db::Connection& connection, std::span<const StoredRating> given,
                           MergeMemory& memory, MergeCounts& counts) const {
  counts = {};
  std::vector<StoredRating> changed;
  const std::span<const StoredRating> ratings = of_stored_voters(connection, given, changed);
  const rollups::RollupState state = votes_.state.lock_for_change(connection);
  Sets sets = rollups::RollupChanges::for_all_sets(state, kBulkSlot);
  Voters voters;
  votes::VoterDays::ExpectedDays last_days;
  for (const StoredRating& rating : ratings) {
    voters.insert(rating.key.voter);
    if (rating.hold) continue;
    const base::Day day = state.zone.day_of(rating.rated_at);
    base::Day& last_day = last_days.emplace(rating.key.voter, day).first->second;
    last_day = std::max(last_day, day);
  }
  const Voters new_voters = voter_days_.lock(connection, voters, sets, last_days);
  memory.active_days.begin(mark_of(connection, state));
  std::set<RatingKey> keys;
  for (const StoredRating& rating : ratings) {
    const bool may_be_stored = !memory.are_probably_new && !new_voters.contains(rating.key.voter);
    if (may_be_stored) keys.insert(rating.key);
  }
  const Votes stored = lock_votes(connection, keys);
  const base::Time rolled_up = rolled_up_before(connection).value_or(base::Time::min());

  const Winners winners = find_winners(ratings, stored, rolled_up, counts);
  Winners held;
  Winners counted;
  for (const auto& [key, rating] : winners) {
    const auto earlier = stored.find(key);
    const bool is_new = earlier == stored.end();
    const bool is_held = is_new ? rating->hold.has_value() : earlier->second.is_held;
    if (!is_held) counted[key] = rating;
    if (is_held && is_new) held[key] = rating;
  }
  add_activity(connection, counted, sets, memory.active_days);
  const db::BulkStatement& save =
      memory.are_probably_new ? statements_.insert_votes : statements_.save_votes;
  const std::uint64_t saved = save_votes(connection, save, winners, held);
  const bool are_new = saved == winners.size() && counts.rolled_up == 0;
  if (memory.are_probably_new && !are_new) return false;
  for (rollups::RollupChanges& changes : sets) {
    for (const auto& [key, rating] : counted) {
      const auto earlier = stored.find(key);
      if (earlier != stored.end()) {
        changes.subtract(key, {earlier->second.value, earlier->second.rated_at});
      }
      changes.add(key, {rating->value, rating->rated_at}, rating->created_at);
    }
  }
  write(connection, sets);
  save_holds(connection, held);
  save_visitors(connection, ratings, winners, stored);
  return true;
}

// The ratings that replace stored ones or are new. Counts the outcomes of all.
BulkRatings::Winners BulkRatings::find_winners(std::span<const StoredRating> ratings,
                                               const Votes& stored, base::Time rolled_up,
                                               MergeCounts& counts) {
  Winners winners;
  for (const StoredRating& rating : ratings) {
    const auto earlier = stored.find(rating.key);
    const auto winner = winners.find(rating.key);
    if (winner != winners.end()) {
      const bool is_newer = winner->second->rated_at < rating.rated_at;
      ++(is_newer ? counts.changed : counts.kept);
      if (is_newer) winner->second = &rating;
    } else if (earlier == stored.end()) {
      const bool may_be_rolled_up = rating.rated_at < rolled_up;
      ++(may_be_rolled_up ? counts.rolled_up : counts.added);
      if (!may_be_rolled_up) winners[rating.key] = &rating;
    } else if (earlier->second.rated_at < rating.rated_at) {
      ++counts.changed;
      winners[rating.key] = &rating;
    } else {
      ++counts.kept;
    }
  }
  return winners;
}

std::size_t BulkRatings::remove_in(db::Connection& connection, std::span<const RatingKey> keys,
                                   base::Time before) const {
  const std::set<RatingKey> wanted(keys.begin(), keys.end());
  Voters voters;
  for (const RatingKey& key : wanted) voters.insert(key.voter);
  Sets sets = lock(connection, voters);

  // Who changes votes has locked their voters, so this needs no locks.
  Votes votes;
  votes::Moments known, withdrawn;
  Voters with_votes;  // that stay
  const auto rows = db::rows_of(voters);
  statements_.read_votes_of_voters.query(
      connection, db::span_of(rows), bind_voter, [&](const db::Rows& row) {
        const RatingKey key = store::key_in(row);
        const Row vote = row_in(row);
        const bool is_removed = vote.rated_at < before && wanted.contains(key);
        if (is_removed) {
          votes[key] = vote;
        } else {
          with_votes.insert(key.voter);
        }
        if (vote.is_held) return;
        const auto add_moments = [&](votes::Moments& moments) {
          auto& of_voter = moments[key.voter];
          of_voter.insert(of_voter.end(), {vote.created_at, vote.rated_at});
        };
        add_moments(known);
        if (is_removed) add_moments(withdrawn);
      });
  Voters without_votes;
  for (const auto& [key, row] : votes) {
    if (!with_votes.contains(key.voter)) without_votes.insert(key.voter);
    known[key.voter];
    if (row.is_held) continue;
    for (rollups::RollupChanges& changes : sets) changes.withdraw(key, {row.value, row.rated_at});
  }
  std::erase_if(known, [&](const auto& of_voter) {
    return !withdrawn.contains(of_voter.first) && !without_votes.contains(of_voter.first);
  });
  const auto all_of = db::rows_of(without_votes);
  std::uint64_t deleted =
      statements_.delete_votes_of_voters.execute(connection, db::span_of(all_of), bind_voter);
  Votes some;
  for (const auto& vote : votes) {
    if (!without_votes.contains(vote.first.voter)) some.insert(vote);
  }
  deleted += delete_votes(connection, some);
  if (deleted != votes.size()) throw db::Conflict(0, "another session has deleted votes");
  votes::replace_activity(known, votes::without(known, withdrawn), withdrawn, without_votes, sets);
  write(connection, sets);
  delete_holds(connection, votes);
  delete_voters(connection, without_votes, sets);
  return votes.size();
}

void BulkRatings::remove_unused_voters_in(db::Connection& connection, const Voters& voters) const {
  Sets sets = lock(connection, voters);
  const Voters without_votes = voters_without_votes(connection, voters);
  for (rollups::RollupChanges& changes : sets) {
    for (const VoterId voter : without_votes) {
      changes.withdraw_activity(voter, votes::days_of(changes, voter, {}));
    }
  }
  write(connection, sets);
  delete_voters(connection, without_votes, sets);
}

// Locks the state of the rollups and the rows of "voters", and reads the last days.
BulkRatings::Sets BulkRatings::lock(db::Connection& connection, const Voters& voters) const {
  Sets sets =
      rollups::RollupChanges::for_all_sets(votes_.state.lock_for_change(connection), kBulkSlot);
  voter_days_.lock(connection, voters, sets);
  return sets;
}

void BulkRatings::write(db::Connection& connection, const Sets& sets) const {
  for (const rollups::RollupChanges& changes : sets) {
    changes.write(connection, votes_.table_prefix);
  }
}

BulkRatings::Votes BulkRatings::lock_votes(db::Connection& connection,
                                           const std::set<RatingKey>& keys) const {
  Votes votes;
  const auto rows = db::rows_of(keys);
  statements_.lock_votes.query(
      connection, db::span_of(rows), store::bind_key,
      [&](const db::Rows& row) { votes[store::key_in(row)] = row_in(row); });
  return votes;
}

BulkRatings::Row BulkRatings::row_in(const db::Rows& row) {
  return {static_cast<model::Thousandths>(row.integer(5)), row.time(6), row.time(7),
          row.integer(8) != 0};
}

// Returns as db::BulkStatement::execute().
std::uint64_t BulkRatings::save_votes(db::Connection& connection,
                                      const db::BulkStatement& statement_of_rows,
                                      const Winners& winners, const Winners& held) const {
  const auto rows = db::rows_of(winners);
  return statement_of_rows.execute(
      connection, db::span_of(rows),
      [&](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, rating] = row;
        store::bind_key(statement, key, repetition);
        statement.bind(std::int64_t{rating->value}).bind(std::int64_t{held.count(key) > 0 ? 1 : 0});
        statement.bind(rating->created_at).bind(rating->rated_at).bind(rating->address);
      });
}

std::uint64_t BulkRatings::delete_votes(db::Connection& connection, const Votes& votes) const {
  const auto rows = db::rows_of(votes);
  return statements_.delete_votes.execute(
      connection, db::span_of(rows),
      [](db::Statement& statement, const auto& row, bool repetition) {
        store::bind_key(statement, row.first, repetition);
      });
}

void BulkRatings::save_holds(db::Connection& connection, const Winners& held) const {
  const auto rows = db::rows_of(held);
  votes_.save_held.execute(connection, db::span_of(rows),
                           [](db::Statement& statement, const auto& row, bool repetition) {
                             const StoredRating::Hold& hold = *row.second->hold;
                             store::bind_key(statement, row.first, repetition);
                             statement.bind(std::int64_t{hold.reasons}).bind(hold.held_at);
                           });
}

void BulkRatings::delete_holds(db::Connection& connection, const Votes& votes) const {
  std::vector<RatingKey> held;
  for (const auto& [key, row] : votes) {
    if (row.is_held) held.push_back(key);
  }
  votes_.delete_held.execute(connection, db::span_of(held), store::bind_key);
}

// Those of "voters" who have no vote, not even a held one.
BulkRatings::Voters BulkRatings::voters_without_votes(db::Connection& connection,
                                                      Voters voters) const {
  const auto rows = db::rows_of(voters);
  statements_.find_voters.query(
      connection, db::span_of(rows), bind_voter,
      [&](const db::Rows& row) { voters.erase(row.unsigned_integer(1)); });
  return voters;
}

// Deletes all data of voters without votes.
void BulkRatings::delete_voters(db::Connection& connection, const Voters& voters,
                                const Sets& sets) const {
  for (const rollups::RollupChanges& changes : sets) {
    changes.delete_voters(connection, votes_.table_prefix, voters);
  }
  delete_visitors(connection, voters);
}

}  // namespace transfer
