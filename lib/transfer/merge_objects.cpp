#include "transfer/merge_objects.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "analytics/materialized_lists.h"
#include "base/text.h"
#include "db/transaction.h"
#include "rollups/aggregate.h"
#include "transfer/bulk_rows.h"
#include "transfer/import_records.h"
#include "transfer/locks.h"
#include "transfer/merge_preview.h"
#include "transfer/rating_merge.h"
#include "transfer/rating_removal.h"
#include "transfer/rating_scan.h"
#include "transfer/retention.h"
#include "transfer/row_file.h"

namespace transfer {
namespace {

using Progress = std::function<void(std::uint64_t ratings)>;

// The maximum number of passes over the ratings for a pair of objects. If a voter changes a rating
// while it is being moved, the next pass moves the changed rating.
constexpr int kPasses = 3;

std::optional<std::uint64_t> parse_id(std::string_view text) {
  const auto id = base::parse_number<std::uint64_t>(text);
  return id && *id >= 1 && *id <= model::kMaxObjectId ? id : std::nullopt;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_ids(std::string_view line) {
  const auto from = parse_id(base::take_until(line, ','));
  const auto into = parse_id(line);
  if (!from || !into) return std::nullopt;
  return std::pair(*from, *into);
}

Selection ratings_of(const model::Object& object) {
  return {.object_id = object.id, .object_type = object.type};
}

class Merge {
 public:
  Merge(db::Connection& connection, const Progress& progress, bool is_dry)
      : connection_(connection),
        progress_(progress),
        merge_(connection),
        removal_(connection),
        rows_(connection),
        slices_(Slices::of_ratings(connection)),
        aggregated_before_(Aggregation(connection).aggregated_before().value_or(base::Time())) {
    if (is_dry) preview_.emplace(connection);
  }

  void move(const ObjectPair& pair) {
    const int passes = preview_ ? 1 : kPasses;
    for (int pass = 0; pass < passes && move_ratings(pair); ++pass) {
    }
    move_aggregates(pair);
  }

  [[nodiscard]] const MergedObjects& report() const { return report_; }

 private:
  // Moves the ratings in slices. Returns whether the object "from" had any ratings to move.
  bool move_ratings(const ObjectPair& pair) {
    RatingScan scan(connection_, ratings_of(pair.from));
    bool found = false;
    report_.kept = kept_before_;
    for (;;) {
      auto ratings = scan.next(slices_.rows());
      if (ratings.empty()) return found;
      report_.kept += std::erase_if(ratings, [&](const StoredRating& rating) {
        return rating.rated_at < aggregated_before_;
      });
      if (ratings.empty()) continue;
      found = true;
      slices_.run(ratings.size(), [&] { return move_slice(std::move(ratings), pair.into); });
      progress_(report_.moved + report_.newer + report_.older);
    }
  }

  // First adds the ratings to the object "into" and then removes them from the object "from", so
  // that no rating can be lost.
  bool move_slice(std::vector<StoredRating> ratings, const model::Object& into) {
    std::vector<model::RatingKey> keys;
    base::Time newest;
    for (StoredRating& rating : ratings) {
      keys.push_back(rating.key);
      newest = std::max(newest, rating.rated_at);
      rating.key.object = into;
    }
    const std::size_t removed = preview_ ? 0 : remove_with_other_hold(ratings);
    const MergeCounts counts = preview_ ? preview_->merge(ratings) : merge_.merge(ratings, memory_);
    const std::size_t replaced = std::min(removed, counts.added);
    report_.moved += counts.added - replaced;
    report_.newer += counts.changed + replaced;
    report_.older += counts.kept;
    if (!preview_) removal_.remove(keys, newest + base::Time::duration(1));
    return true;
  }

  // Removes each stored rating that one of "ratings" will replace, if only one of the two ratings
  // is held, because RatingMerge would hold or count the new rating like the stored rating. Returns
  // the number of removed ratings.
  std::size_t remove_with_other_hold(std::span<StoredRating> ratings) {
    std::set<model::RatingKey> keys;
    for (const StoredRating& rating : ratings) keys.insert(rating.key);
    const auto stored = db::in_transaction(connection_, [&] { return rows_.lock_votes(keys); });
    std::vector<model::RatingKey> replaced;
    base::Time newest;
    for (StoredRating& rating : ratings) {
      const auto earlier = stored.find(rating.key);
      if (earlier == stored.end() || earlier->second.rated_at >= rating.rated_at ||
          earlier->second.is_held == rating.hold.has_value()) {
        continue;
      }
      rating.created_at = std::min(rating.created_at, earlier->second.created_at);
      newest = std::max(newest, earlier->second.rated_at);
      replaced.push_back(rating.key);
    }
    return replaced.empty() ? 0 : removal_.remove(replaced, newest + base::Time::duration(1));
  }

  void move_aggregates(const ObjectPair& pair) {
    kept_before_ = report_.kept;
    for (const model::Category category : model::kCategories) {
      std::vector<rollups::Aggregate::Key> keys;
      for (const rollups::Aggregate& aggregate :
           rollups::aggregates_of(connection_, pair.from, category)) {
        keys.push_back(aggregate.key);
      }
      for (std::span<const rollups::Aggregate::Key> rest = keys; !rest.empty();) {
        const auto some = rest.first(std::min(rest.size(), Slices::kFirst));
        report_.aggregates += preview_ ? some.size() : move_some(some, pair);
        rest = rest.subspan(some.size());
      }
    }
  }

  // Moves some of the aggregates for the object "from", and records the merge, so that later
  // imports do not store these sums again.
  std::size_t move_some(std::span<const rollups::Aggregate::Key> keys, const ObjectPair& pair) {
    std::set<std::string> sources;
    for (const rollups::Aggregate::Key& key : keys) {
      if (key.source != kRetention) sources.insert(key.source);
    }
    return merge_.move_aggregates(
        keys, pair.into, [&] { record_merge(connection_, sources, pair.from, pair.into); });
  }

  db::Connection& connection_;
  const Progress& progress_;
  const RatingMerge merge_;
  const RatingRemoval removal_;
  const BulkRows rows_;
  std::optional<MergePreview> preview_;  // set only in a dry run
  MergeMemory memory_;
  Slices slices_;
  const base::Time aggregated_before_;
  MergedObjects report_;
  std::uint64_t kept_before_ = 0;  // the number of ratings in earlier pairs that were not moved
};

}  // namespace

tl::expected<std::vector<ObjectPair>, std::string> parse_pairs(std::string_view text,
                                                               const std::string& object_type) {
  std::vector<ObjectPair> pairs;
  std::set<std::uint64_t> all_from, all_into;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = base::take_until(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line == "from,into")) continue;
    const auto error = [&](const char* what) {
      return tl::unexpected("line " + std::to_string(number) + ": " + what);
    };
    const auto ids = parse_ids(line);
    if (!ids) return error("the line must have two ids of objects, such as 12,10");
    const auto [from, into] = *ids;
    if (!all_from.insert(from).second) return error("the first object is in an earlier line, too");
    all_into.insert(into);
    if (all_into.contains(from) || all_from.contains(into)) {
      return error("an object cannot both receive and give away ratings");
    }
    pairs.push_back({{from, object_type}, {into, object_type}});
  }
  return pairs;
}

std::vector<ObjectPair> with_facets(std::span<const ObjectPair> pairs,
                                    const model::FacetNames& facets) {
  std::vector<ObjectPair> all;
  for (const ObjectPair& pair : pairs) {
    all.push_back(pair);
    if (model::is_facet(pair.from.type, facets)) continue;
    for (const std::string& name : facets) {
      if (!model::can_have(pair.from.type, {name})) continue;
      all.push_back({model::facet_of(pair.from, name), model::facet_of(pair.into, name)});
    }
  }
  return all;
}

MergedObjects preview_merge(db::Connection& connection, std::span<const ObjectPair> pairs) {
  const Progress no_progress = [](std::uint64_t) {};
  Merge merge(connection, no_progress, true);
  for (const ObjectPair& pair : pairs) merge.move(pair);
  return merge.report();
}

MergedObjects merge_objects(db::Connection& connection, std::span<const ObjectPair> pairs,
                            const Progress& progress) {
  const auto lock = lock_changes(connection, kLockTimeout);
  require_full_activity(connection);
  Merge merge(connection, progress, false);
  for (const ObjectPair& pair : pairs) merge.move(pair);
  rollups::delete_empty_days(connection);
  analytics::invalidate_lists(connection);
  return merge.report();
}

}  // namespace transfer
