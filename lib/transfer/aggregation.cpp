#include "transfer/aggregation.h"

#include "base/timestamp.h"
#include "db/transaction.h"
#include "store/named_values.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"

namespace transfer {
namespace {

using model::RatingKey;

constexpr std::string_view kAggregatedBefore = "folded_before";  // the name of its stored value

}  // namespace

std::size_t Aggregation::aggregate(base::Time before) const {
  for (auto keys = oldest_votes(before); !keys.empty(); keys = oldest_votes(before)) {
    std::size_t aggregated = 0;
    in_parts(std::span<const RatingKey>(keys), [&](const auto& part) {
      aggregated +=
          db::in_transaction(connection_, [&] { return aggregate_in_slice(part, before); });
    });
    if (aggregated > 0) return aggregated;  // otherwise, these votes have changed meanwhile
  }
  return 0;
}

std::optional<base::Time> Aggregation::aggregated_before() const {
  const auto text = store::read_value(connection_, kAggregatedBefore);
  return text ? base::from_datetime(*text) : std::nullopt;
}

void Aggregation::clear_aggregated_before() const {
  store::remove_value(connection_, kAggregatedBefore);
}

void Aggregation::note_aggregated_before(base::Time before) const {
  store::raise_value(connection_, kAggregatedBefore, base::to_datetime(before));
}

std::vector<RatingKey> Aggregation::oldest_votes(base::Time before) const {
  return connection_
      .query(
          "SELECT object_id, object_type, category, voter FROM {prefix}ratingd_votes"
          " FORCE INDEX (by_time) WHERE rated_at < ? AND held = 0 ORDER BY rated_at LIMIT ?",
          before, Slices::kFirst)
      .all(store::key_in);
}

std::size_t Aggregation::aggregate_in_slice(std::span<const RatingKey> keys,
                                            base::Time before) const {
  Voters voters;
  for (const RatingKey& key : keys) voters.insert(key.voter);
  Changes changes = rows_.lock(voters);
  Votes votes = rows_.lock_votes({keys.begin(), keys.end()});
  std::erase_if(votes, [&](const auto& vote) {
    return vote.second.is_held || vote.second.rated_at >= before;
  });

  Aggregates aggregated;
  AggregateKeys aggregate_keys;
  Voters active;
  const base::ZoneHistory& zones = changes.zones();
  for (const auto& [key, row] : votes) {
    changes.subtract(key, {row.value, row.rated_at});
    const rollups::Aggregate::Key aggregate{key.object, key.category, zones.day_of(row.rated_at),
                                            kRetention};
    add_rating(aggregated[aggregate], key.category, row.value, row.rated_at);
    aggregate_keys.insert(aggregate);
    active.insert(key.voter);
  }
  Aggregates sums = rows_.lock_aggregates(aggregate_keys);
  for (auto& [key, more] : aggregated) {
    changes.add({key, more});
    add_sums(sums.at(key), more);
  }
  rows_.save_aggregates(sums);
  rows_.delete_votes(votes);
  store::remove_reasons(connection_, votes);
  const Voters without_votes = rows_.voters_without_votes(active);
  changes.write(connection_);
  changes.delete_users(connection_, without_votes);
  note_aggregated_before(before);
  return votes.size();
}

}  // namespace transfer
