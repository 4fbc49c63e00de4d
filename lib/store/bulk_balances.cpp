// The part of BulkRatings that has to do with balances.

#include <algorithm>
#include <cassert>
#include <functional>

#include "base/timestamp.h"
#include "db/transaction.h"
#include "store/bulk_ratings.h"
#include "store/rating_rows.h"

namespace store {
namespace {

using model::RatingKey;
using model::Totals;

constexpr int kAttempts = 10;
constexpr std::string_view kFoldedBefore = "folded_before";

void bind_balance(db::Statement& statement, const Balance::Key& key) {
  statement.bind(key.object.id).bind(key.object.type).bind(number_of(key.category));
  statement.bind(key.day).bind(key.source);
}

void note_time(Totals& sums, base::Time rated_at) {
  sums.last_rated_at = std::max(sums.last_rated_at.value_or(rated_at), rated_at);
}

void count(Totals& sums, model::Category category, model::Thousandths value, base::Time rated_at) {
  sums.sum += value;
  ++sums.bins[model::bin_of(category, value)];
  note_time(sums, rated_at);
}

void add(Totals& sums, const Totals& more) {
  sums.sum += more.sum;
  for (std::size_t i = 0; i < Totals::kBins; ++i) sums.bins[i] += more.bins[i];
  if (more.last_rated_at) note_time(sums, *more.last_rated_at);
}

}  // namespace

MergeCounts BulkRatings::merge_balances(db::Connection& connection,
                                        std::span<const Balance> balances, bool restores) const {
  return change_balances(connection, balances,
                         [&](const Balance::Key& key, const Totals& stored, const Totals& sums,
                             const base::Zone& zone) {
                           if (stored.total() > 0) return stored.last_rated_at < sums.last_rated_at;
                           return restores || key.source != kRetention ||
                                  !has_votes_of(connection, key, zone);
                         });
}

MergeCounts BulkRatings::set_balances(db::Connection& connection,
                                      std::span<const Balance> balances) const {
  return change_balances(connection, balances,
                         [](const Balance::Key&, const Totals& stored, const Totals& sums,
                            const base::Zone&) { return stored != sums; });
}

std::size_t BulkRatings::remove_balances(db::Connection& connection,
                                         std::span<const Balance::Key> keys) const {
  assert(keys.size() <= kAtOnce);
  std::size_t removed = 0;
  db::in_transaction(connection, kAttempts,
                     [&] { removed = remove_balances_in(connection, keys); });
  return removed;
}

std::size_t BulkRatings::fold(db::Connection& connection, base::Time before) const {
  for (auto keys = oldest_votes(connection, before); !keys.empty();
       keys = oldest_votes(connection, before)) {
    std::size_t folded = 0;
    db::in_transaction(connection, kAttempts, [&] { folded = fold_in(connection, keys, before); });
    if (folded > 0) return folded;  // else all of them were changed or taken back meanwhile
  }
  return 0;
}

std::optional<base::Time> BulkRatings::folded_before(db::Connection& connection) const {
  db::Rows row = connection.prepare(statements_.read_fold).bind(kFoldedBefore).query();
  if (!row.next()) return std::nullopt;
  return row.time(1);
}

void BulkRatings::forget_fold(db::Connection& connection) const {
  connection.prepare(statements_.forget_fold).bind(kFoldedBefore).execute();
}

// Sets the balances for which "replaces" says that the new sums take the place of the stored ones.
MergeCounts BulkRatings::change_balances(db::Connection& connection,
                                         std::span<const Balance> balances,
                                         const Replaces& replaces) const {
  assert(balances.size() <= kAtOnce);
  MergeCounts counts;
  db::in_transaction(connection, kAttempts,
                     [&] { counts = change_balances_in(connection, balances, replaces); });
  return counts;
}

MergeCounts BulkRatings::change_balances_in(db::Connection& connection,
                                            std::span<const Balance> balances,
                                            const Replaces& replaces) const {
  std::set<Balance::Key> keys;
  for (const Balance& balance : balances) {
    assert(balance.sums.total() > 0 && balance.sums.last_rated_at);
    keys.insert(balance.key);
  }
  Sets sets = lock(connection, {});
  Balances stored = lock_balances(connection, keys);

  MergeCounts counts;
  Balances changed;
  for (const auto& [key, sums] : balances) {
    Totals& earlier = stored.at(key);
    const bool is_new = earlier.total() == 0;
    const base::Zone& zone = sets.front().zone();
    if (!replaces(key, earlier, sums, zone)) {
      ++counts.kept;
      continue;
    }
    if (key.source == kRetention)
      note_fold(connection, zone.start_of(key.day + std::chrono::days(1)));
    ++(is_new ? counts.added : counts.changed);
    for (RollupChanges& changes : sets) {
      changes.withdraw({key, earlier});
      changes.add({key, sums});
    }
    changed[key] = earlier = sums;
  }
  save_balances(connection, changed);
  write(connection, sets);
  return counts;
}

std::size_t BulkRatings::remove_balances_in(db::Connection& connection,
                                            std::span<const Balance::Key> keys) const {
  Sets sets = lock(connection, {});
  const Balances stored = lock_balances(connection, {keys.begin(), keys.end()});
  for (const auto& [key, sums] : stored) {
    if (sums.total() == 0) continue;
    for (RollupChanges& changes : sets) changes.withdraw({key, sums});
  }
  const auto removed = std::count_if(
      stored.begin(), stored.end(), [](const auto& balance) { return balance.second.total() > 0; });
  const auto rows = db::rows_of(stored);
  statements_.delete_balances.execute(
      connection, db::span_of(rows),
      [](db::Statement& statement, const auto& row, bool) { bind_balance(statement, row.first); });
  write(connection, sets);
  return static_cast<std::size_t>(removed);
}

std::size_t BulkRatings::fold_in(db::Connection& connection, std::span<const RatingKey> keys,
                                 base::Time before) const {
  Voters voters;
  for (const RatingKey& key : keys) voters.insert(key.voter);
  Sets sets = lock(connection, voters);
  Votes votes = lock_votes(connection, {keys.begin(), keys.end()});
  std::erase_if(votes, [&](const auto& vote) {
    return vote.second.is_held || vote.second.rated_at >= before;
  });

  Balances folded;
  std::set<Balance::Key> balance_keys;
  Voters active;
  const base::Zone& zone = sets.front().zone();
  for (const auto& [key, row] : votes) {
    for (RollupChanges& changes : sets) changes.subtract(key, {row.value, row.rated_at});
    const Balance::Key balance{key.object, key.category, zone.day_of(row.rated_at), kRetention};
    count(folded[balance], key.category, row.value, row.rated_at);
    balance_keys.insert(balance);
    active.insert(key.voter);
  }
  Balances sums = lock_balances(connection, balance_keys);
  for (auto& [key, more] : folded) {
    for (RollupChanges& changes : sets) changes.add({key, more});
    add(sums.at(key), more);
  }
  save_balances(connection, sums);
  delete_votes(connection, votes);
  const Voters gone = voters_without_votes(connection, active);
  write(connection, sets);
  for (const RollupChanges& changes : sets) changes.forget_users(connection, votes_.changes, gone);
  note_fold(connection, before);
  return votes.size();
}

bool BulkRatings::has_votes(db::Connection& connection) const {
  return connection.query(statements_.find_any).next();
}

// Whether votes are stored that may be in the folded sums with this key.
bool BulkRatings::has_votes_of(db::Connection& connection, const Balance::Key& key,
                               const base::Zone& zone) const {
  const auto& [object, category, day, source] = key;
  return connection.prepare(statements_.find_vote_of_day)
      .bind(object.id)
      .bind(object.type)
      .bind(static_cast<std::int64_t>(category))
      .bind(zone.start_of(day))
      .bind(zone.start_of(day + std::chrono::days(1)))
      .query()
      .next();
}

void BulkRatings::note_fold(db::Connection& connection, base::Time before) const {
  connection.prepare(statements_.save_fold)
      .bind(kFoldedBefore)
      .bind(base::to_datetime(before))
      .execute();
}

std::vector<RatingKey> BulkRatings::oldest_votes(db::Connection& connection,
                                                 base::Time before) const {
  std::vector<RatingKey> keys;
  db::Rows row = connection.prepare(statements_.find_oldest).bind(before).query();
  while (row.next()) keys.push_back(key_in(row));
  return keys;
}

// Locks the balances with these keys; those that are not there are made, with nothing in them: a
// row that is not there cannot be locked.
BulkRatings::Balances BulkRatings::lock_balances(db::Connection& connection,
                                                 const std::set<Balance::Key>& keys) const {
  const auto rows = db::rows_of(keys);
  const auto bind = [](db::Statement& statement, const Balance::Key& key, bool) {
    bind_balance(statement, key);
  };
  statements_.make_balances.execute(connection, db::span_of(rows), bind);
  Balances balances;
  statements_.lock_balances.query(connection, db::span_of(rows), bind, [&](const db::Rows& row) {
    Balance balance = balance_in(row);
    balances[std::move(balance.key)] = balance.sums;
  });
  return balances;
}

void BulkRatings::save_balances(db::Connection& connection, const Balances& balances) const {
  const auto rows = db::rows_of(balances);
  statements_.save_balances.execute(
      connection, db::span_of(rows), [](db::Statement& statement, const auto& row, bool) {
        const auto& [key, sums] = row;
        bind_balance(statement, key);
        statement.bind(sums.sum);
        for (const std::int64_t bin : sums.bins) statement.bind(bin);
        statement.bind(sums.last_rated_at.value_or(base::Time(kNeverActive)));
      });
}

}  // namespace store
