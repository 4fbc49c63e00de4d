// The functions of PluginImport that read and change ratingd's own data.

#include <algorithm>

#include "imports/plugin_import.h"
#include "store/rating_key_sql.h"
#include "transfer/retention.h"

namespace imports {
namespace {

constexpr std::size_t kAggregatesAtOnce = 256;
constexpr db::BulkStatement kFindRatings(
    {"SELECT object_id, object_type, category, voter, value, rated_at FROM {prefix}ratingd_votes"
     " FORCE INDEX (PRIMARY) WHERE (object_id, object_type, category, voter) IN (",
     "(?,?,?,?)", ",", ")"});

}  // namespace

PluginImport::Stored PluginImport::stored_ratings(const std::set<model::RatingKey>& keys) {
  Stored stored;
  kFindRatings.query(connection_, keys, store::bind_key, [&](const db::Rows& row) {
    stored[store::key_in(row)] = store::own_rating_in(row);
  });
  return stored;
}

// Removes ratings that version 0.3 stored by mistake for strings that do not identify a voter,
// unless the ratings have since changed.
void PluginImport::take_back_marks() {
  std::set<model::RatingKey> keys;
  for (const auto& [key, votes] : marked_) keys.insert(key);
  std::vector<model::RatingKey> wrong;
  for (const auto& [key, stored] : stored_ratings(keys)) {
    const auto& votes = marked_.at(key);
    if (std::ranges::find(votes, stored) != votes.end()) wrong.push_back(key);
  }
  marked_.clear();
  report_.taken_back += std::ssize(wrong);
  for (std::span<const model::RatingKey> rest = wrong; !rest.empty() && !settings_.is_dry;) {
    const auto some = rest.first(std::min(rest.size(), slices_.rows()));
    slices_.run(some.size(), [&] { return removal_.remove(some); });
    rest = rest.subspan(some.size());
  }
}

// Removes ratings from "ratings_" that were withdrawn after an earlier import. Keeps ratings older
// than the last aggregation, so that merge() can include these ratings in the report.
void PluginImport::drop_withdrawn() {
  const Stored stored = stored_ratings(known_);
  const base::Time aggregated =
      transfer::Aggregation(connection_).aggregated_before().value_or(base::Time::min());
  const auto removed = std::erase_if(ratings_, [&](const transfer::StoredRating& rating) {
    return known_.contains(rating.key) && !stored.contains(rating.key) &&
           rating.rated_at >= aggregated;
  });
  report_.withdrawn += static_cast<std::int64_t>(removed);
  known_.clear();
}

void PluginImport::store_ratings() {
  // Sort by object, so that each transaction changes an object's sums only once.
  std::ranges::sort(ratings_, {}, &transfer::StoredRating::key);
  for (std::span<const transfer::StoredRating> rest = ratings_; !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), slices_.rows()));
    report_.ratings += slices_.run(some.size(), [&] {
      return preview_ ? preview_->merge(some) : merge_.merge(some, memory_);
    });
    rest = rest.subspan(some.size());
  }
  ratings_.clear();
}

// Call this function only after all ratings are stored, because it also marks the votes as
// imported.
void PluginImport::store_aggregates() {
  Change next;
  const auto store = [&] {
    if (!settings_.is_dry) {
      merge_.replace_aggregates(next.earlier, next.aggregates,
                                [&] { save_marks(connection_, plugin_.name, next.marks); });
    }
    next = {};
  };
  for (Change& change : changes_) {
    next.earlier.insert(next.earlier.end(), change.earlier.begin(), change.earlier.end());
    next.aggregates.insert(next.aggregates.end(), change.aggregates.begin(),
                           change.aggregates.end());
    next.marks.merge(change.marks);
    if (next.earlier.size() + next.aggregates.size() > kAggregatesAtOnce) store();
  }
  store();
  changes_.clear();
}

}  // namespace imports
