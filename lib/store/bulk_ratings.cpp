#include "store/bulk_ratings.h"

#include <algorithm>
#include <cassert>

#include "db/transaction.h"
#include "store/rating_rows.h"

namespace store {
namespace {

using model::RatingKey;
using model::VoterId;
using Voters = std::set<VoterId>;

constexpr std::uint8_t kSlot = 0;  // few do this, and need not keep out of anybody's way
constexpr int kAttempts = 10;
constexpr base::Time kLatest = base::Day(std::chrono::year(9999) / 1 / 1);  // that the database has

void bind_voter(db::Statement& statement, VoterId voter, bool) { statement.bind(voter); }

template <typename Value>
Voters keys_of(const std::map<VoterId, Value>& map) {
  Voters voters;
  for (const auto& [voter, value] : map) voters.insert(voters.end(), voter);
  return voters;
}

}  // namespace

MergeCounts& MergeCounts::operator+=(const MergeCounts& other) {
  added += other.added;
  changed += other.changed;
  kept += other.kept;
  folded += other.folded;
  return *this;
}

BulkRatings::BulkRatings(const std::string& table_prefix)
    : state_(table_prefix),
      voter_days_(table_prefix),
      rollups_(table_prefix),
      statements_(table_prefix) {}

MergeCounts BulkRatings::merge(db::Connection& connection,
                               std::span<const StoredRating> ratings) const {
  assert(ratings.size() <= kAtOnce);
  MergeCounts counts;
  db::in_transaction(connection, kAttempts, [&] { counts = merge_in(connection, ratings); });
  return counts;
}

std::size_t BulkRatings::remove(db::Connection& connection, std::span<const RatingKey> keys,
                                base::Time before) const {
  assert(keys.size() <= kAtOnce);
  std::size_t removed = 0;
  db::in_transaction(connection, kAttempts, [&] { removed = remove_in(connection, keys, before); });
  return removed;
}

void BulkRatings::forget(db::Connection& connection, std::span<const VoterId> voters) const {
  assert(voters.size() <= kAtOnce);
  const auto work = [&] { forget_in(connection, {voters.begin(), voters.end()}); };
  db::in_transaction(connection, kAttempts, work);
}

std::size_t BulkRatings::erase_addresses(db::Connection& connection,
                                         std::span<const RatingKey> keys, base::Time before) const {
  assert(keys.size() <= kAtOnce);
  const base::Time end = std::min(before, kLatest);
  std::size_t erased = 0;
  const auto work = [&] {
    erased = statements_.erase_addresses.execute(
        connection, keys, [&](db::Statement& statement, const RatingKey& key, bool repetition) {
          bind_key(statement, key, repetition);
          statement.bind(end);
        });
  };
  db::in_transaction(connection, kAttempts, work);
  return erased;
}

MergeCounts BulkRatings::merge_in(db::Connection& connection,
                                  std::span<const StoredRating> ratings) const {
  const base::Zone zone = state_.zone(connection);
  std::set<VoterId> voters;
  std::set<RatingKey> keys;
  for (const StoredRating& rating : ratings) {
    voters.insert(rating.key.voter);
    keys.insert(rating.key);
  }
  const LastDays last_days = voter_days_.lock(connection, voters);
  const Votes stored = lock_votes(connection, keys);
  const base::Time folded = folded_before(connection).value_or(base::Time::min());

  MergeCounts counts;
  const Winners winners = find_winners(ratings, stored, folded, counts);
  RollupChanges changes(zone, kSlot);
  Winners held;
  std::map<VoterId, Days> active;
  for (const auto& [key, rating] : winners) {
    const auto earlier = stored.find(key);
    const bool is_new = earlier == stored.end();
    if (is_new ? rating->hold.has_value() : earlier->second.is_held) {
      if (is_new) held[key] = rating;
      continue;
    }
    if (!is_new) changes.subtract(key, {earlier->second.value, earlier->second.rated_at});
    changes.add(key, {rating->value, rating->rated_at});
    changes.note_first(key, rating->created_at);
    active[key.voter].insert({zone.day_of(rating->created_at), zone.day_of(rating->rated_at)});
  }
  add_activity(connection, last_days, active, changes);
  save_votes(connection, winners, held);
  changes.write(connection, rollups_);
  save_holds(connection, held);
  return counts;
}

// Which of "ratings" take the place of what is stored; counts what becomes of all.
BulkRatings::Winners BulkRatings::find_winners(std::span<const StoredRating> ratings,
                                               const Votes& stored, base::Time folded,
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
      const bool may_be_folded = rating.rated_at < folded;
      ++(may_be_folded ? counts.folded : counts.added);
      if (!may_be_folded) winners[rating.key] = &rating;
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
  const base::Zone zone = state_.zone(connection);
  Voters voters;
  for (const RatingKey& key : keys) voters.insert(key.voter);
  const LastDays last_days = voter_days_.lock(connection, voters);
  Votes votes = lock_votes(connection, {keys.begin(), keys.end()});
  std::erase_if(votes, [&](const auto& vote) { return vote.second.rated_at >= before; });

  RollupChanges changes(zone, kSlot);
  for (const auto& [key, row] : votes) {
    if (!row.is_held) changes.withdraw(key, {row.value, row.rated_at});
  }
  const Voters gone = remove_activity(connection, last_days, votes, changes);
  delete_votes(connection, votes);
  changes.write(connection, rollups_);
  delete_holds(connection, votes);
  forget_voters(connection, gone);
  return votes.size();
}

// Takes the days away on which voters were active by "removed" alone, which are not deleted yet.
// Returns who will have no votes.
BulkRatings::Voters BulkRatings::remove_activity(db::Connection& connection,
                                                 const LastDays& last_days, const Votes& removed,
                                                 RollupChanges& changes) const {
  struct Activity {
    Days all, removed, left;
    bool has_votes = false;  // when the others are gone
  };
  std::map<VoterId, Activity> activities;
  for (const auto& [key, row] : removed) activities[key.voter];
  Voters gone = keys_of(activities);
  for (const auto& [key, row] : votes_of(connection, gone)) {
    Activity& activity = activities.at(key.voter);
    const bool is_removed = removed.contains(key);
    activity.has_votes = activity.has_votes || !is_removed;
    if (row.is_held) continue;
    for (const base::Time time : {row.created_at, row.rated_at}) {
      const base::Day day = changes.zone().day_of(time);
      activity.all.insert(day);
      (is_removed ? activity.removed : activity.left).insert(day);
    }
  }
  LastDays left;
  for (auto& [voter, activity] : activities) {
    // The last day may be that of a vote that was taken back: it stays.
    const base::Day last_day = last_days.at(voter);
    if (last_day != kNeverActive) activity.all.insert(last_day);
    const bool is_removed = activity.removed.contains(last_day) || !activity.has_votes;
    if (last_day != kNeverActive && !is_removed) activity.left.insert(last_day);
    count_reach(changes, activity.all, -1);
    count_reach(changes, activity.left, +1);
    if (last_of(activity.left) != last_day) left[voter] = last_of(activity.left);
    if (activity.has_votes) gone.erase(voter);
  }
  voter_days_.save(connection, left);
  return gone;
}

void BulkRatings::forget_in(db::Connection& connection, Voters voters) const {
  const base::Zone zone = state_.zone(connection);
  const LastDays last_days = voter_days_.lock(connection, voters);
  RollupChanges changes(zone, kSlot);
  const Voters gone = voters_without_votes(connection, std::move(voters));
  for (const VoterId voter : gone) count_reach(changes, days_with(last_days.at(voter)), -1);
  changes.write(connection, rollups_);
  forget_voters(connection, gone);
}

// Adds the days on which voters are active by new ratings. REQUIRES: these are not written yet.
void BulkRatings::add_activity(db::Connection& connection, const LastDays& last_days,
                               const std::map<VoterId, Days>& active,
                               RollupChanges& changes) const {
  std::map<VoterId, Days> known;
  Voters of_past;  // others need no look at what was before
  for (const auto& [voter, days] : active) {
    known[voter] = days_with(last_days.at(voter));
    if (*days.begin() < last_days.at(voter)) of_past.insert(voter);
  }
  for (const auto& [key, row] : votes_of(connection, of_past)) {
    if (row.is_held) continue;
    Days& days = known.at(key.voter);
    days.insert(changes.zone().day_of(row.created_at));
    days.insert(changes.zone().day_of(row.rated_at));
  }
  LastDays changed;
  for (const auto& [voter, days] : active) {
    Days& all = known.at(voter);
    count_reach(changes, all, -1);
    all.insert(days.begin(), days.end());
    count_reach(changes, all, +1);
    if (last_of(all) != last_days.at(voter)) changed[voter] = last_of(all);
  }
  voter_days_.save(connection, changed);
}

BulkRatings::Votes BulkRatings::lock_votes(db::Connection& connection,
                                           const std::set<RatingKey>& keys) const {
  Votes votes;
  const auto rows = db::rows_of(keys);
  statements_.lock_votes.query(connection, db::span_of(rows), bind_key,
                               [&](const db::Rows& row) { votes[key_in(row)] = row_in(row); });
  return votes;
}

// All votes of "voters". They stay as they are as long as the voters' rows are locked.
BulkRatings::Votes BulkRatings::votes_of(db::Connection& connection, const Voters& voters) const {
  Votes votes;
  const auto rows = db::rows_of(voters);
  statements_.read_votes_of.query(connection, db::span_of(rows), bind_voter,
                                  [&](const db::Rows& row) { votes[key_in(row)] = row_in(row); });
  return votes;
}

BulkRatings::Row BulkRatings::row_in(const db::Rows& row) {
  return {static_cast<model::Thousandths>(row.integer(5)), row.time(6), row.time(7),
          row.integer(8) != 0};
}

void BulkRatings::save_votes(db::Connection& connection, const Winners& winners,
                             const Winners& held) const {
  const auto rows = db::rows_of(winners);
  statements_.save_votes.execute(
      connection, db::span_of(rows),
      [&](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, rating] = row;
        bind_key(statement, key, repetition);
        statement.bind(std::int64_t{rating->value}).bind(std::int64_t{held.count(key) > 0 ? 1 : 0});
        statement.bind(rating->created_at).bind(rating->rated_at).bind(rating->address);
      });
}

void BulkRatings::delete_votes(db::Connection& connection, const Votes& votes) const {
  const auto rows = db::rows_of(votes);
  statements_.delete_votes.execute(connection, db::span_of(rows),
                                   [](db::Statement& statement, const auto& row, bool repetition) {
                                     bind_key(statement, row.first, repetition);
                                   });
}

void BulkRatings::save_holds(db::Connection& connection, const Winners& held) const {
  const auto rows = db::rows_of(held);
  statements_.save_held.execute(connection, db::span_of(rows),
                                [](db::Statement& statement, const auto& row, bool repetition) {
                                  const StoredRating::Hold& hold = *row.second->hold;
                                  bind_key(statement, row.first, repetition);
                                  statement.bind(std::int64_t{hold.reasons}).bind(hold.held_at);
                                });
}

void BulkRatings::delete_holds(db::Connection& connection, const Votes& votes) const {
  std::vector<RatingKey> held;
  for (const auto& [key, row] : votes) {
    if (row.is_held) held.push_back(key);
  }
  statements_.delete_held.execute(connection, db::span_of(held), bind_key);
}

// Who of "voters" has no vote, not even a held one.
BulkRatings::Voters BulkRatings::voters_without_votes(db::Connection& connection,
                                                      Voters voters) const {
  const auto rows = db::rows_of(voters);
  statements_.find_voters.query(
      connection, db::span_of(rows), bind_voter,
      [&](const db::Rows& row) { voters.erase(row.unsigned_integer(1)); });
  return voters;
}

// Deletes what is stored of voters who have no vote.
void BulkRatings::forget_voters(db::Connection& connection, const Voters& voters) const {
  forget_users(connection, voters);
  const auto rows = db::rows_of(voters);
  statements_.delete_voters.execute(connection, db::span_of(rows), bind_voter);
  statements_.delete_fingerprints.execute(connection, db::span_of(rows), bind_voter);
}

// Deletes the rollups of users who have no counted vote.
void BulkRatings::forget_users(db::Connection& connection, const Voters& voters) const {
  const std::vector<VoterId> users(voters.begin(), voters.lower_bound(model::kAnonymousBit));
  statements_.delete_users.execute(connection, db::span_of(users), bind_voter);
  statements_.delete_user_daily.execute(connection, db::span_of(users), bind_voter);
}

}  // namespace store
