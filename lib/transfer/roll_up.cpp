#include "transfer/roll_up.h"

#include "base/timestamp.h"
#include "db/transaction.h"
#include "store/named_values.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"

namespace transfer {
namespace {

using model::RatingKey;

constexpr std::string_view kRolledUpBefore = "folded_before";  // the name of its stored value

}  // namespace

std::size_t RollUp::roll_up(base::Time before) const {
  for (auto keys = oldest_votes(before); !keys.empty(); keys = oldest_votes(before)) {
    std::size_t rolled_up = 0;
    in_parts(std::span<const RatingKey>(keys), [&](const auto& part) {
      rolled_up += db::in_transaction(connection_, [&] { return roll_up_in(part, before); });
    });
    if (rolled_up > 0) return rolled_up;  // else all of them were changed or withdrawn meanwhile
  }
  return 0;
}

std::optional<base::Time> RollUp::rolled_up_before() const {
  const auto text = store::read_value(connection_, kRolledUpBefore);
  return text ? base::from_datetime(*text) : std::nullopt;
}

void RollUp::clear_roll_up() const { store::remove_value(connection_, kRolledUpBefore); }

void RollUp::note_roll_up(base::Time before) const {
  store::raise_value(connection_, kRolledUpBefore, base::to_datetime(before));
}

std::vector<RatingKey> RollUp::oldest_votes(base::Time before) const {
  return connection_
      .query(
          "SELECT object_id, object_type, category, voter FROM {prefix}ratingd_votes"
          " FORCE INDEX (by_time) WHERE rated_at < ? AND held = 0 ORDER BY rated_at LIMIT ?",
          before, Slices::kFirst)
      .all(store::key_in);
}

std::size_t RollUp::roll_up_in(std::span<const RatingKey> keys, base::Time before) const {
  Voters voters;
  for (const RatingKey& key : keys) voters.insert(key.voter);
  Changes changes = rows_.lock(voters);
  Votes votes = rows_.lock_votes({keys.begin(), keys.end()});
  std::erase_if(votes, [&](const auto& vote) {
    return vote.second.is_held || vote.second.rated_at >= before;
  });

  Aggregates rolled_up;
  AggregateKeys aggregate_keys;
  Voters active;
  const base::ZoneHistory& zones = changes.zones();
  for (const auto& [key, row] : votes) {
    changes.subtract(key, {row.value, row.rated_at});
    const rollups::Aggregate::Key aggregate{key.object, key.category, zones.day_of(row.rated_at),
                                            kRetention};
    add_rating(rolled_up[aggregate], key.category, row.value, row.rated_at);
    aggregate_keys.insert(aggregate);
    active.insert(key.voter);
  }
  Aggregates sums = rows_.lock_aggregates(aggregate_keys);
  for (auto& [key, more] : rolled_up) {
    changes.add({key, more});
    add_sums(sums.at(key), more);
  }
  rows_.save_aggregates(sums);
  rows_.delete_votes(votes);
  store::remove_reasons(connection_, votes);
  const Voters without_votes = rows_.voters_without_votes(active);
  changes.write(connection_);
  changes.delete_users(connection_, without_votes);
  note_roll_up(before);
  return votes.size();
}

}  // namespace transfer
