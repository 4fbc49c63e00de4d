#include "transfer/bulk_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rollups/rollup_state.h"
#include "store/front_end_visitors.h"
#include "store/rating_key_sql.h"
#include "votes/batch_store.h"
#include "votes/voter_days.h"

namespace transfer {
namespace {

using model::RatingKey;
using model::Totals;
using model::VoterId;

void bind_aggregate(db::Statement& statement, const rollups::Aggregate::Key& key) {
  statement.bind(key.object.id, key.object.type, key.category, key.day, key.source);
}

void update_last_rated_at(Totals& sums, base::Time rated_at) {
  sums.last_rated_at = std::max(sums.last_rated_at.value_or(rated_at), rated_at);
}

}  // namespace

void add_rating(Totals& sums, model::Category category, model::Thousandths value,
                base::Time rated_at) {
  sums.sum += value;
  ++sums.bins[model::bin_of(category, value)];
  update_last_rated_at(sums, rated_at);
}

void add_sums(Totals& sums, const Totals& more) {
  sums.sum += more.sum;
  for (std::size_t i = 0; i < Totals::kBins; ++i) sums.bins[i] += more.bins[i];
  if (more.last_rated_at) update_last_rated_at(sums, *more.last_rated_at);
}

rollups::RollupChanges BulkRows::lock(const Voters& voters) const {
  rollups::RollupChanges changes(rollups::lock_for_change(connection_), kBulkSlot);
  votes::lock_voters(connection_, voters, changes);
  return changes;
}

BulkRows::Row BulkRows::row_in(const db::Rows& row) {
  return {static_cast<model::Thousandths>(row.integer(5)), row.time(6), row.time(7),
          row.integer(8) != 0};
}

BulkRows::Votes BulkRows::lock_votes(const std::set<RatingKey>& keys) const {
  Votes votes;
  kLockVotes.query(connection_, keys, store::bind_key,
                   [&](const db::Rows& row) { votes[store::key_in(row)] = row_in(row); });
  return votes;
}

std::uint64_t BulkRows::delete_votes(const Votes& votes) const {
  return kDeleteVotes.execute(connection_, votes, store::bind_key);
}

void BulkRows::delete_holds(const Votes& votes) const {
  std::vector<RatingKey> held;
  for (const auto& [key, row] : votes) {
    if (row.is_held) held.push_back(key);
  }
  votes::kDeleteHeld.execute(connection_, held, store::bind_key);
}

BulkRows::Voters BulkRows::voters_without_votes(const Voters& voters) const {
  Voters unused = voters;
  kFindVoters.query(connection_, voters,
                    [&](const db::Rows& row) { unused.erase(row.unsigned_integer(1)); });
  return unused;
}

void BulkRows::delete_visitors(const Voters& voters) const {
  std::vector<VoterId> anonymous;
  std::ranges::copy_if(voters, std::back_inserter(anonymous), model::is_anonymous);
  store::remove_visitors(connection_, anonymous);
}

BulkRows::Aggregates BulkRows::find_aggregates(const AggregateKeys& keys) const {
  return aggregates_of(kFindAggregates, keys);
}

BulkRows::Aggregates BulkRows::lock_aggregates(const AggregateKeys& keys) const {
  kMakeAggregates.execute(connection_, keys, bind_aggregate);
  return aggregates_of(kLockAggregates, keys);
}

BulkRows::Aggregates BulkRows::aggregates_of(const db::BulkStatement& statement,
                                             const AggregateKeys& keys) const {
  Aggregates aggregates;
  statement.query(connection_, keys, bind_aggregate, [&](const db::Rows& row) {
    rollups::Aggregate aggregate = rollups::aggregate_in(row);
    aggregates[std::move(aggregate.key)] = aggregate.sums;
  });
  return aggregates;
}

void BulkRows::save_aggregates(const Aggregates& aggregates) const {
  kSaveAggregates.execute(connection_, aggregates, [](db::Statement& statement, const auto& row) {
    const auto& [key, sums] = row;
    bind_aggregate(statement, key);
    statement.bind(sums.sum);
    for (const std::int64_t bin : sums.bins) statement.bind(bin);
    statement.bind(sums.last_rated_at.value_or(base::Time(rollups::kNeverActive)));
  });
}

void BulkRows::delete_aggregates(const Aggregates& aggregates) const {
  kDeleteAggregates.execute(connection_, aggregates, [](db::Statement& statement, const auto& row) {
    bind_aggregate(statement, row.first);
  });
}

}  // namespace transfer
