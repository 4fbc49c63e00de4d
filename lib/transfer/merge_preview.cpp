#include "transfer/merge_preview.h"

#include <algorithm>
#include <vector>

#include "base/crypto.h"
#include "db/bulk_statement.h"
#include "rollups/rollup_state.h"
#include "store/rating_key_sql.h"
#include "transfer/retention.h"

namespace transfer {
namespace {

constexpr db::BulkStatement kFindRatings(
    {"SELECT object_id, object_type, category, voter, rated_at, held FROM {prefix}ratingd_votes"
     " WHERE ",
     store::kOfRatingKey, " OR ", ""});

// The maps in MergePreview use 64-bit hashes as keys, because a hash needs less memory than the
// original key. Collisions are as unlikely as between random 64-bit numbers.
std::uint64_t hash_of(const model::Object& object, model::Category category, std::uint64_t last) {
  return base::KeyedHash({})(std::to_string(object.id) + object.type + " " +
                             std::to_string(static_cast<int>(category)) + " " +
                             std::to_string(last));
}
std::uint64_t hash_of(const model::RatingKey& key) {
  return hash_of(key.object, key.category, key.voter);
}
std::uint64_t hash_of(const model::Object& object, model::Category category, base::Day day) {
  return hash_of(object, category, static_cast<std::uint64_t>(day.time_since_epoch().count()));
}

}  // namespace

MergePreview::MergePreview(db::Connection& connection, ObjectCounts* by_object)
    : connection_(connection),
      merge_(connection),
      zones_(rollups::stored_zones(connection)),
      by_object_(by_object),
      aggregated_before_(Aggregation(connection).aggregated_before().value_or(base::Time::min())) {}

MergeCounts MergePreview::merge(std::span<const StoredRating> ratings) {
  std::vector<StoredRating> changed;
  const std::span<const StoredRating> merged = merge_.of_stored_voters(ratings, changed);
  std::vector<model::RatingKey> keys;
  for (const StoredRating& rating : merged) keys.push_back(rating.key);
  kFindRatings.query(connection_, keys, store::bind_key, [&](const db::Rows& row) {
    seen_.try_emplace(hash_of(store::key_in(row)), SeenRating{row.time(5), row.integer(6) != 0});
  });
  MergeCounts counts;
  for (const StoredRating& rating : merged) {
    count(rating.key.object, counter_of(rating), counts);
  }
  return counts;
}

MergeCounts MergePreview::merge_aggregates(std::span<const rollups::Aggregate> aggregates,
                                           bool is_restore) {
  BulkRows::AggregateKeys keys;
  for (const rollups::Aggregate& aggregate : aggregates) keys.insert(aggregate.key);
  seen_aggregates_.merge(BulkRows(connection_).find_aggregates(keys));
  MergeCounts counts;
  for (const rollups::Aggregate& given : aggregates) {
    count(given.key.object, counter_of(given, is_restore), counts);
  }
  return counts;
}

void MergePreview::count(const model::Object& object, Counter outcome, MergeCounts& counts) {
  ++(counts.*outcome);
  if (by_object_ != nullptr) ++((*by_object_)[object].*outcome);
}

MergePreview::Counter MergePreview::counter_of(const rollups::Aggregate& given, bool is_restore) {
  const auto stored = seen_aggregates_.find(given.key);
  const bool is_new = stored == seen_aggregates_.end();
  const model::Totals sums = is_new ? model::Totals() : stored->second;
  const auto more_votes =
      more_votes_.find(hash_of(given.key.object, given.key.category, given.key.day));
  if (!merge_.replaces(given, sums, zones_, is_restore,
                       more_votes == more_votes_.end() ? 0 : more_votes->second)) {
    return &MergeCounts::kept;
  }
  seen_aggregates_[given.key] = given.sums;
  if (given.key.source == kRetention) {
    aggregated_before_ =
        std::max(aggregated_before_, zones_.start_of(given.key.day + std::chrono::days(1)));
  }
  return is_new ? &MergeCounts::added : &MergeCounts::changed;
}

MergePreview::Counter MergePreview::counter_of(const StoredRating& rating) {
  const std::uint64_t hash = hash_of(rating.key);
  const auto seen = seen_.find(hash);
  if (seen == seen_.end()) {
    if (rating.rated_at < aggregated_before_) return &MergeCounts::too_old;
    seen_[hash] = {rating.rated_at, rating.hold.has_value()};
    if (!rating.hold) add_votes(rating.key, rating.rated_at, +1);
    return &MergeCounts::added;
  }
  SeenRating& earlier = seen->second;
  if (rating.rated_at <= earlier.rated_at) return &MergeCounts::kept;
  if (!earlier.is_held) {
    add_votes(rating.key, earlier.rated_at, -1);
    add_votes(rating.key, rating.rated_at, +1);
  }
  earlier.rated_at = rating.rated_at;
  return &MergeCounts::changed;
}

void MergePreview::add_votes(const model::RatingKey& key, base::Time rated_at, int votes) {
  more_votes_[hash_of(key.object, key.category, zones_.day_of(rated_at))] += votes;
}

}  // namespace transfer
