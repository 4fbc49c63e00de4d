// The part of BulkRatings that reads and changes aggregates.

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

#include "base/timestamp.h"
#include "db/transaction.h"
#include "store/named_values.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "transfer/bulk_ratings.h"
#include "transfer/bulk_statements.h"

namespace transfer {
namespace {

using model::RatingKey;
using model::Totals;

constexpr std::string_view kRolledUpBefore = "folded_before";  // the name of its stored value

void bind_aggregate(db::Statement& statement, const rollups::Aggregate::Key& key) {
  statement.bind(key.object.id, key.object.type, key.category, key.day, key.source);
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

MergeCounts BulkRatings::merge_aggregates(std::span<const rollups::Aggregate> aggregates,
                                          bool is_restore) const {
  return change_aggregates(aggregates, [&](const rollups::Aggregate& given, const Totals& stored,
                                           const base::Zone& zone) {
    if (stored.total() > 0) return stored.last_rated_at < given.sums.last_rated_at;
    return is_restore || given.key.source != kRetention || !has_votes_of(given.key, zone);
  });
}

MergeCounts BulkRatings::set_aggregates(std::span<const rollups::Aggregate> aggregates) const {
  return change_aggregates(aggregates, [](const rollups::Aggregate& given, const Totals& stored,
                                          const base::Zone&) { return stored != given.sums; });
}

// Stores the aggregates for which "replaces" returns true.
MergeCounts BulkRatings::change_aggregates(std::span<const rollups::Aggregate> aggregates,
                                           const Replaces& replaces) const {
  assert(aggregates.size() <= kAtOnce);
  AggregateKeys keys;
  for (const rollups::Aggregate& aggregate : aggregates) {
    assert(aggregate.sums.total() > 0 && aggregate.sums.last_rated_at);
    keys.insert(aggregate.key);
  }
  return db::in_transaction(connection_, [&] {
    Sets sets = lock({});
    Aggregates stored = lock_aggregates(keys);
    MergeCounts counts;
    Aggregates changed;
    for (const rollups::Aggregate& given : aggregates) {
      const auto& [key, sums] = given;
      Totals& earlier = stored.at(key);
      const bool is_new = earlier.total() == 0;
      const base::Zone& zone = sets.front().zone();
      if (!replaces(given, earlier, zone)) {
        ++counts.kept;
        continue;
      }
      if (key.source == kRetention) note_roll_up(zone.start_of(key.day + std::chrono::days(1)));
      ++(is_new ? counts.added : counts.changed);
      for (rollups::RollupChanges& changes : sets) {
        changes.withdraw({key, earlier});
        changes.add(given);
      }
      changed[key] = earlier = sums;
    }
    save_aggregates(changed);
    write(sets);
    return counts;
  });
}

std::size_t BulkRatings::remove_aggregates(std::span<const rollups::Aggregate::Key> keys) const {
  assert(keys.size() <= kAtOnce);
  return db::in_transaction(connection_, [&] {
    Sets sets = lock({});
    const Aggregates stored = lock_aggregates({keys.begin(), keys.end()});
    std::size_t removed = 0;
    for (const auto& [key, sums] : stored) {
      if (sums.total() == 0) continue;
      for (rollups::RollupChanges& changes : sets) changes.withdraw({key, sums});
      ++removed;
    }
    delete_aggregates(stored);
    write(sets);
    return removed;
  });
}

std::size_t BulkRatings::move_aggregates(std::span<const rollups::Aggregate::Key> keys,
                                         const model::Object& into) const {
  assert(keys.size() <= kAtOnce);
  const auto key_into = [&](rollups::Aggregate::Key key) {
    key.object = into;
    return key;
  };
  AggregateKeys all(keys.begin(), keys.end());
  for (const auto& key : keys) all.insert(key_into(key));
  return db::in_transaction(connection_, [&] {
    Sets sets = lock({});
    Aggregates sums = lock_aggregates(all);
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
    save_aggregates(changed);
    delete_aggregates(empty);
    write(sets);
    return moved;
  });
}

std::size_t BulkRatings::roll_up(base::Time before) const {
  for (auto keys = oldest_votes(before); !keys.empty(); keys = oldest_votes(before)) {
    std::size_t rolled_up = 0;
    in_parts(std::span<const RatingKey>(keys), [&](const auto& part) {
      rolled_up += db::in_transaction(connection_, [&] { return roll_up_in(part, before); });
    });
    if (rolled_up > 0) return rolled_up;  // else all of them were changed or withdrawn meanwhile
  }
  return 0;
}

std::optional<base::Time> BulkRatings::rolled_up_before() const {
  const auto text = store::read_value(connection_, kRolledUpBefore);
  return text ? base::from_datetime(*text) : std::nullopt;
}

void BulkRatings::clear_roll_up() const { store::remove_value(connection_, kRolledUpBefore); }

std::size_t BulkRatings::roll_up_in(std::span<const RatingKey> keys, base::Time before) const {
  Voters voters;
  for (const RatingKey& key : keys) voters.insert(key.voter);
  Sets sets = lock(voters);
  Votes votes = lock_votes({keys.begin(), keys.end()});
  std::erase_if(votes, [&](const auto& vote) {
    return vote.second.is_held || vote.second.rated_at >= before;
  });

  Aggregates rolled_up;
  AggregateKeys aggregate_keys;
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
  Aggregates sums = lock_aggregates(aggregate_keys);
  for (auto& [key, more] : rolled_up) {
    for (rollups::RollupChanges& changes : sets) changes.add({key, more});
    add(sums.at(key), more);
  }
  save_aggregates(sums);
  delete_votes(votes);
  store::remove_reasons(connection_, votes);
  const Voters without_votes = voters_without_votes(active);
  write(sets);
  for (const rollups::RollupChanges& changes : sets)
    changes.delete_users(connection_, without_votes);
  note_roll_up(before);
  return votes.size();
}

bool BulkRatings::has_votes() const {
  return connection_.query("SELECT 1 FROM {prefix}ratingd_votes LIMIT 1").next();
}

// Whether votes are stored that the aggregate with this key may contain.
bool BulkRatings::has_votes_of(const rollups::Aggregate::Key& key, const base::Zone& zone) const {
  const auto& [object, category, day, source] = key;
  db::Rows found = connection_.query(
      "SELECT 1 FROM {prefix}ratingd_votes FORCE INDEX (by_object) WHERE object_id = ?"
      " AND object_type = ? AND category = ? AND rated_at >= ? AND rated_at < ? AND held = 0"
      " LIMIT 1",
      object.id, object.type, category, zone.start_of(day),
      zone.start_of(day + std::chrono::days(1)));
  return found.next();
}

void BulkRatings::note_roll_up(base::Time before) const {
  store::raise_value(connection_, kRolledUpBefore, base::to_datetime(before));
}

std::vector<RatingKey> BulkRatings::oldest_votes(base::Time before) const {
  return connection_
      .query(
          "SELECT object_id, object_type, category, voter FROM {prefix}ratingd_votes"
          " FORCE INDEX (by_time) WHERE rated_at < ? AND held = 0 ORDER BY rated_at LIMIT ?",
          before, Slices::kFirst)
      .all(store::key_in);
}

// Locks the aggregates with these keys. Inserts missing ones with zeros, since a missing row cannot
// be locked.
BulkRatings::Aggregates BulkRatings::lock_aggregates(const AggregateKeys& keys) const {
  kMakeAggregates.execute(connection_, keys, bind_aggregate);
  Aggregates aggregates;
  kLockAggregates.query(connection_, keys, bind_aggregate, [&](const db::Rows& row) {
    rollups::Aggregate aggregate = rollups::aggregate_in(row);
    aggregates[std::move(aggregate.key)] = aggregate.sums;
  });
  return aggregates;
}

void BulkRatings::delete_aggregates(const Aggregates& aggregates) const {
  kDeleteAggregates.execute(connection_, aggregates, [](db::Statement& statement, const auto& row) {
    bind_aggregate(statement, row.first);
  });
}

void BulkRatings::save_aggregates(const Aggregates& aggregates) const {
  kSaveAggregates.execute(connection_, aggregates, [](db::Statement& statement, const auto& row) {
    const auto& [key, sums] = row;
    bind_aggregate(statement, key);
    statement.bind(sums.sum);
    for (const std::int64_t bin : sums.bins) statement.bind(bin);
    statement.bind(sums.last_rated_at.value_or(base::Time(rollups::kNeverActive)));
  });
}

}  // namespace transfer
