#include "transfer/merge_preview.h"

#include <vector>

#include "base/keyed_hash.h"
#include "db/bulk_statement.h"
#include "store/rating_key_sql.h"
#include "transfer/roll_up.h"

namespace transfer {
namespace {

constexpr db::BulkStatement kFindRatings(
    {"SELECT object_id, object_type, category, voter, rated_at FROM {prefix}ratingd_votes WHERE ",
     store::kOfRatingKey, " OR ", ""});

// A 64-bit hash, to save memory; collisions are as rare as between random numbers.
std::uint64_t hash_of(const model::RatingKey& key) {
  return base::KeyedHash({})(std::to_string(key.object.id) + key.object.type + " " +
                             std::to_string(static_cast<int>(key.category)) + " " +
                             std::to_string(key.voter));
}

}  // namespace

MergePreview::MergePreview(db::Connection& connection)
    : connection_(connection),
      rolled_up_before_(RollUp(connection).rolled_up_before().value_or(base::Time::min())) {}

MergeCounts MergePreview::merge(std::span<const StoredRating> ratings) {
  std::vector<model::RatingKey> keys;
  for (const StoredRating& rating : ratings) keys.push_back(rating.key);
  kFindRatings.query(connection_, keys, store::bind_key, [&](const db::Rows& row) {
    seen_.try_emplace(hash_of(store::key_in(row)), row.time(5));
  });
  MergeCounts counts;
  for (const StoredRating& rating : ratings) ++(counts.*outcome_of(rating));
  return counts;
}

std::size_t MergeCounts::*MergePreview::outcome_of(const StoredRating& rating) {
  const std::uint64_t hash = hash_of(rating.key);
  const auto seen = seen_.find(hash);
  if (seen == seen_.end()) {
    if (rating.rated_at < rolled_up_before_) return &MergeCounts::rolled_up;
    seen_[hash] = rating.rated_at;
    return &MergeCounts::added;
  }
  if (rating.rated_at <= seen->second) return &MergeCounts::kept;
  seen->second = rating.rated_at;
  return &MergeCounts::changed;
}

}  // namespace transfer
