#include "imports/merge_preview.h"

#include <vector>

#include "base/keyed_hash.h"
#include "db/bulk_statement.h"
#include "store/rating_key_sql.h"

namespace imports {
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

MergePreview::MergePreview(db::Connection& connection, const transfer::BulkRatings& bulk)
    : connection_(connection),
      rolled_up_before_(bulk.rolled_up_before().value_or(base::Time::min())) {}

transfer::MergeCounts MergePreview::merge(std::span<const transfer::StoredRating> ratings) {
  std::vector<model::RatingKey> keys;
  for (const transfer::StoredRating& rating : ratings) keys.push_back(rating.key);
  kFindRatings.query(connection_, keys, store::bind_key, [&](const db::Rows& row) {
    seen_.try_emplace(hash_of(store::key_in(row)), row.time(5));
  });
  transfer::MergeCounts counts;
  for (const transfer::StoredRating& rating : ratings) ++(counts.*outcome_of(rating));
  return counts;
}

std::size_t transfer::MergeCounts::*MergePreview::outcome_of(const transfer::StoredRating& rating) {
  const std::uint64_t hash = hash_of(rating.key);
  const auto seen = seen_.find(hash);
  if (seen == seen_.end()) {
    if (rating.rated_at < rolled_up_before_) return &transfer::MergeCounts::rolled_up;
    seen_[hash] = rating.rated_at;
    return &transfer::MergeCounts::added;
  }
  if (rating.rated_at <= seen->second) return &transfer::MergeCounts::kept;
  seen->second = rating.rated_at;
  return &transfer::MergeCounts::changed;
}

}  // namespace imports
