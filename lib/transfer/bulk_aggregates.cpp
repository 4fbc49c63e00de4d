// The part of BulkRatings that reads and changes aggregates.

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

#include "base/timestamp.h"
#include "db/transaction.h"
#include "store/rating_key_sql.h"
#include "transfer/bulk_ratings.h"

namespace transfer {
namespace {

using model::RatingKey;
using model::Totals;

constexpr std::string_view kRolledUpBefore = "folded_before";  // the name of its stored value

void bind_aggregate(db::Statement& statement, const rollups::Aggregate::Key& key) {
  statement.bind(key.object.id).bind(key.object.type).bind(store::number_of(key.category));
  statement.bind(key.day).bind(key.source);
}

void update_last_rated_at(Totals& sums, base::Time rated_at) {
  sums.last_rated_at = std::max(sums.last_rated_at.value_or(rated_at), rated_at);
}

void count(Totals& sums, model::Category category, model::Thousandths value, base::Time rated_at) {
  sums.sum += value;
  ++sums.bins[model::bin_of(category, value)];
  update_last_rated_at(sums, rated_at);
}

void add(Totals& sums, const Totals& more) {
  sums.sum += more.sum;
  for (std::size_t i = 0; i < Totals::kBins; ++i) sums.bins[i] += more.bins[i];
  if (more.last_rated_at) update_last_rated_at(sums, *more.last_rated_at);
}

}  // namespace

MergeCounts BulkRatings::merge_aggregates(db::Connection& connection,
                                          std::span<const rollups::Aggregate> aggregates,
                                          bool is_restore) const {
  return change_aggregates(connection, aggregates,
                           [&](const rollups::Aggregate::Key& key, const Totals& stored,
                               const Totals& sums, const base::Zone& zone) {
                             if (stored.total() > 0)
                               return stored.last_rated_at < sums.last_rated_at;
                             return is_restore || key.source != kRetention ||
                                    !has_votes_of(connection, key, zone);
                           });
}

MergeCounts BulkRatings::set_aggregates(db::Connection& connection,
                                        std::span<const rollups::Aggregate> aggregates) const {
  return change_aggregates(connection, aggregates,
                           [](const rollups::Aggregate::Key&, const Totals& stored,
                              const Totals& sums, const base::Zone&) { return stored != sums; });
}

std::size_t BulkRatings::remove_aggregates(db::Connection& connection,
                                           std::span<const rollups::Aggregate::Key> keys) const {
  assert(keys.size() <= kAtOnce);
  std::size_t removed = 0;
  db::in_transaction(connection, db::kUsualAttempts,
                     [&] { removed = remove_aggregates_in(connection, keys); });
  return removed;
}

std::size_t BulkRatings::move_aggregates(db::Connection& connection,
                                         std::span<const rollups::Aggregate::Key> keys,
                                         const model::Object& into) const {
  assert(keys.size() <= kAtOnce);
  std::size_t moved = 0;
  db::in_transaction(connection, db::kUsualAttempts,
                     [&] { moved = move_aggregates_in(connection, keys, into); });
  return moved;
}

std::size_t BulkRatings::roll_up(db::Connection& connection, base::Time before) const {
  for (auto keys = oldest_votes(connection, before); !keys.empty();
       keys = oldest_votes(connection, before)) {
    std::size_t rolled_up = 0;
    in_parts(std::span<const RatingKey>(keys), [&](const auto& part) {
      std::size_t more = 0;
      db::in_transaction(connection, db::kUsualAttempts,
                         [&] { more = roll_up_in(connection, part, before); });
      rolled_up += more;
    });
    if (rolled_up > 0) return rolled_up;  // else all of them were changed or withdrawn meanwhile
  }
  return 0;
}

std::optional<base::Time> BulkRatings::rolled_up_before(db::Connection& connection) const {
  db::Rows row = connection.prepare(statements_.read_roll_up).bind(kRolledUpBefore).query();
  if (!row.next()) return std::nullopt;
  return row.time(1);
}

void BulkRatings::clear_roll_up(db::Connection& connection) const {
  connection.prepare(statements_.clear_roll_up).bind(kRolledUpBefore).execute();
}

// Stores the aggregates for which "replaces" returns true.
MergeCounts BulkRatings::change_aggregates(db::Connection& connection,
                                           std::span<const rollups::Aggregate> aggregates,
                                           const Replaces& replaces) const {
  assert(aggregates.size() <= kAtOnce);
  MergeCounts counts;
  db::in_transaction(connection, db::kUsualAttempts,
                     [&] { counts = change_aggregates_in(connection, aggregates, replaces); });
  return counts;
}

MergeCounts BulkRatings::change_aggregates_in(db::Connection& connection,
                                              std::span<const rollups::Aggregate> aggregates,
                                              const Replaces& replaces) const {
  std::set<rollups::Aggregate::Key> keys;
  for (const rollups::Aggregate& aggregate : aggregates) {
    assert(aggregate.sums.total() > 0 && aggregate.sums.last_rated_at);
    keys.insert(aggregate.key);
  }
  Sets sets = lock(connection, {});
  Aggregates stored = lock_aggregates(connection, keys);

  MergeCounts counts;
  Aggregates changed;
  for (const auto& [key, sums] : aggregates) {
    Totals& earlier = stored.at(key);
    const bool is_new = earlier.total() == 0;
    const base::Zone& zone = sets.front().zone();
    if (!replaces(key, earlier, sums, zone)) {
      ++counts.kept;
      continue;
    }
    if (key.source == kRetention)
      note_roll_up(connection, zone.start_of(key.day + std::chrono::days(1)));
    ++(is_new ? counts.added : counts.changed);
    for (rollups::RollupChanges& changes : sets) {
      changes.withdraw({key, earlier});
      changes.add({key, sums});
    }
    changed[key] = earlier = sums;
  }
  save_aggregates(connection, changed);
  write(connection, sets);
  return counts;
}

std::size_t BulkRatings::remove_aggregates_in(db::Connection& connection,
                                              std::span<const rollups::Aggregate::Key> keys) const {
  Sets sets = lock(connection, {});
  const Aggregates stored = lock_aggregates(connection, {keys.begin(), keys.end()});
  for (const auto& [key, sums] : stored) {
    if (sums.total() == 0) continue;
    for (rollups::RollupChanges& changes : sets) changes.withdraw({key, sums});
  }
  const auto removed = std::count_if(stored.begin(), stored.end(), [](const auto& aggregate) {
    return aggregate.second.total() > 0;
  });
  delete_aggregates(connection, stored);
  write(connection, sets);
  return static_cast<std::size_t>(removed);
}

std::size_t BulkRatings::move_aggregates_in(db::Connection& connection,
                                            std::span<const rollups::Aggregate::Key> keys,
                                            const model::Object& into) const {
  const auto key_into = [&](rollups::Aggregate::Key key) {
    key.object = into;
    return key;
  };
  std::set<rollups::Aggregate::Key> all(keys.begin(), keys.end());
  for (const auto& key : keys) all.insert(key_into(key));
  Sets sets = lock(connection, {});
  Aggregates sums = lock_aggregates(connection, all);
  std::size_t moved = 0;
  for (const auto& key : keys) {
    const Totals from = std::exchange(sums.at(key), {});
    if (from.total() == 0) continue;
    for (rollups::RollupChanges& changes : sets) {
      changes.withdraw({key, from});
      changes.add({key_into(key), from});
    }
    add(sums.at(key_into(key)), from);
    ++moved;
  }
  Aggregates changed, empty;
  for (const auto& [key, of_key] : sums) (of_key.total() > 0 ? changed : empty)[key] = of_key;
  save_aggregates(connection, changed);
  delete_aggregates(connection, empty);
  write(connection, sets);
  return moved;
}

std::size_t BulkRatings::roll_up_in(db::Connection& connection, std::span<const RatingKey> keys,
                                    base::Time before) const {
  Voters voters;
  for (const RatingKey& key : keys) voters.insert(key.voter);
  Sets sets = lock(connection, voters);
  Votes votes = lock_votes(connection, {keys.begin(), keys.end()});
  std::erase_if(votes, [&](const auto& vote) {
    return vote.second.is_held || vote.second.rated_at >= before;
  });

  Aggregates rolled_up;
  std::set<rollups::Aggregate::Key> aggregate_keys;
  Voters active;
  const base::Zone& zone = sets.front().zone();
  for (const auto& [key, row] : votes) {
    for (rollups::RollupChanges& changes : sets) changes.subtract(key, {row.value, row.rated_at});
    const rollups::Aggregate::Key aggregate{key.object, key.category, zone.day_of(row.rated_at),
                                            kRetention};
    count(rolled_up[aggregate], key.category, row.value, row.rated_at);
    aggregate_keys.insert(aggregate);
    active.insert(key.voter);
  }
  Aggregates sums = lock_aggregates(connection, aggregate_keys);
  for (auto& [key, more] : rolled_up) {
    for (rollups::RollupChanges& changes : sets) changes.add({key, more});
    add(sums.at(key), more);
  }
  save_aggregates(connection, sums);
  delete_votes(connection, votes);
  const Voters without_votes = voters_without_votes(connection, active);
  write(connection, sets);
  for (const rollups::RollupChanges& changes : sets)
    changes.delete_users(connection, votes_.table_prefix, without_votes);
  note_roll_up(connection, before);
  return votes.size();
}

bool BulkRatings::has_votes(db::Connection& connection) const {
  return connection.query(statements_.find_any).next();
}

// Whether votes are stored that the aggregate with this key may contain.
bool BulkRatings::has_votes_of(db::Connection& connection, const rollups::Aggregate::Key& key,
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

void BulkRatings::note_roll_up(db::Connection& connection, base::Time before) const {
  connection.prepare(statements_.save_roll_up)
      .bind(kRolledUpBefore)
      .bind(base::to_datetime(before))
      .execute();
}

std::vector<RatingKey> BulkRatings::oldest_votes(db::Connection& connection,
                                                 base::Time before) const {
  std::vector<RatingKey> keys;
  db::Rows row = connection.prepare(statements_.find_oldest).bind(before).query();
  while (row.next()) keys.push_back(store::key_in(row));
  return keys;
}

// Locks the aggregates with these keys. Inserts missing ones with zeros, since a missing row cannot
// be locked.
BulkRatings::Aggregates BulkRatings::lock_aggregates(
    db::Connection& connection, const std::set<rollups::Aggregate::Key>& keys) const {
  const auto rows = db::rows_of(keys);
  const auto bind = [](db::Statement& statement, const rollups::Aggregate::Key& key, bool) {
    bind_aggregate(statement, key);
  };
  statements_.make_aggregates.execute(connection, db::span_of(rows), bind);
  Aggregates aggregates;
  statements_.lock_aggregates.query(connection, db::span_of(rows), bind, [&](const db::Rows& row) {
    rollups::Aggregate aggregate = rollups::aggregate_in(row);
    aggregates[std::move(aggregate.key)] = aggregate.sums;
  });
  return aggregates;
}

void BulkRatings::delete_aggregates(db::Connection& connection,
                                    const Aggregates& aggregates) const {
  const auto rows = db::rows_of(aggregates);
  statements_.delete_aggregates.execute(connection, db::span_of(rows),
                                        [](db::Statement& statement, const auto& row, bool) {
                                          bind_aggregate(statement, row.first);
                                        });
}

void BulkRatings::save_aggregates(db::Connection& connection, const Aggregates& aggregates) const {
  const auto rows = db::rows_of(aggregates);
  statements_.save_aggregates.execute(
      connection, db::span_of(rows), [](db::Statement& statement, const auto& row, bool) {
        const auto& [key, sums] = row;
        bind_aggregate(statement, key);
        statement.bind(sums.sum);
        for (const std::int64_t bin : sums.bins) statement.bind(bin);
        statement.bind(sums.last_rated_at.value_or(base::Time(rollups::kNeverActive)));
      });
}

}  // namespace transfer
