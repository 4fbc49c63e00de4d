#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "transfer/active_days.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// Counts processed rows by outcome.
struct MergeCounts {
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t kept = 0;     // the number of rows that are not newer than the stored version
  std::size_t too_old = 0;  // the number of skipped votes that may already be part of an aggregate

  MergeCounts& operator+=(const MergeCounts& other);
  bool operator==(const MergeCounts&) const = default;
};

// If consecutive calls to merge() share a MergeMemory object, later calls read less data. The class
// is not thread-safe.
struct MergeMemory {
  ActiveDays active_days;
  // If true, merge() inserts ratings without reading the stored ratings first. If a rating turns
  // out to be stored already, merge() repeats the whole slice. A repeated slice is slower, because
  // merge() first locks and reads the stored ratings.
  bool are_probably_new = true;
};

// Adds past ratings and aggregates (transfer/bulk_rows.h).
//
// An aggregated vote is stored only as part of a sum, so it is unknown whether the sum contains an
// imported rating. The function merge() skips each rating that is not stored yet and is older than
// the time up to which votes were aggregated (transfer/retention.h). Imported aggregates whose
// source is "retention" also advance the time up to which votes were aggregated. A new aggregate
// whose source is "retention" is skipped if the database contains votes from the same day that may
// be part of the aggregate. As a result, no vote is counted twice, regardless of the order in which
// ratings and aggregates are imported.
class RatingMerge {
 public:
  // "connection" must outlive this object.
  explicit RatingMerge(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Stores each rating that is new or newer than the stored rating with the same key. If a held
  // rating is replaced, the new rating is held, too. If a rating is replaced, the earlier of the
  // two "created_at" times is stored. A caller that merges many ratings should pass the same
  // "memory" to each call. A visitor's ratings are stored under the visitor's voter id, which is
  // read from the ratingd_visitors table (store/front_end_visitors.h). Visitors who are missing
  // from the ratingd_visitors table are added. The caller must pass at most kRatingsAtOnce ratings.
  MergeCounts merge(std::span<const StoredRating> ratings, MergeMemory& memory) const;

  // Stores each aggregate that is new or whose last vote is newer than the last vote in the stored
  // aggregate with the same key. If "is_restore" is false, skips a new aggregate whose source is
  // "retention" if votes from its day are stored. If "is_restore" is true, the stored votes and the
  // aggregates must be from the same export. The caller must pass at most kRatingsAtOnce
  // aggregates. Each aggregate must contain votes and the time of the last vote.
  MergeCounts merge_aggregates(std::span<const rollups::Aggregate> aggregates,
                               bool is_restore = false) const;
  // Returns whether merge_aggregates() would store "given". "stored" contains the sums of the
  // stored aggregate with the same key. If no aggregate is stored, all sums in "stored" must be 0.
  // "more_votes" is the number of votes that a preview would have added, and may be negative.
  [[nodiscard]] bool replaces(const rollups::Aggregate& given, const model::Totals& stored,
                              const base::ZoneHistory& zones, bool is_restore,
                              std::int64_t more_votes = 0) const;

  // In one transaction, deletes the aggregates with the keys in "earlier", stores "aggregates", and
  // calls the function "also". If the transaction is repeated after a conflict, "also" is called
  // again. Votes wait for the transaction, so callers should pass the aggregates of only a few
  // objects at a time. Each aggregate must contain votes and the time of the last vote.
  void replace_aggregates(std::span<const rollups::Aggregate::Key> earlier,
                          std::span<const rollups::Aggregate> aggregates,
                          const std::function<void()>& also) const;

  // Returns the ratings in "given", but with the same voter for all ratings by the same visitor.
  // The result uses the voter that the database stores for a visitor or, if none is stored, the
  // voter of the visitor's first rating in "given". If ratings must be changed, the changed copies
  // are stored in "changed", and the result points into "changed".
  std::span<const StoredRating> of_stored_voters(std::span<const StoredRating> given,
                                                 std::vector<StoredRating>& changed) const;

  // Returns whether any counted or held vote is stored.
  [[nodiscard]] bool has_votes() const;

  // Moves the aggregates with the given keys to the object "into". Adds each aggregate's sums to
  // the aggregate for "into" with the same category, day and source. Returns the number of moved
  // aggregates. Calls "also" in the same transaction, and again if the transaction is repeated. The
  // caller must pass at most kRatingsAtOnce keys. The keys must be for objects other than "into".
  std::size_t move_aggregates(std::span<const rollups::Aggregate::Key> keys,
                              const model::Object& into, const std::function<void()>& also) const;

 private:
  using Row = BulkRows::Row;
  using Votes = BulkRows::Votes;
  using Voters = BulkRows::Voters;
  using Changes = rollups::RollupChanges;
  using Aggregates = BulkRows::Aggregates;
  using AggregateKeys = BulkRows::AggregateKeys;
  using Winners = std::map<model::RatingKey, const StoredRating*>;

  MergeCounts merge_part(std::span<const StoredRating> ratings, MergeMemory& memory) const;
  bool merge_in(std::span<const StoredRating> given, MergeMemory& memory,
                MergeCounts& counts) const;
  Voters lock_voters(std::span<const StoredRating> ratings, Changes& changes) const;
  bool has_votes_of(const rollups::Aggregate::Key& key, const base::ZoneHistory& zones,
                    std::int64_t more_votes) const;
  void save_visitors(std::span<const StoredRating> ratings, const Winners& winners,
                     const Votes& stored) const;
  static Winners find_winners(std::span<const StoredRating> ratings, const Votes& stored,
                              base::Time aggregated, MergeCounts& counts);
  void add_activity(const Winners& counted, Changes& changes, ActiveDays& active_days) const;
  [[nodiscard]] ActiveDays::Mark mark_of(const rollups::RollupState& state) const;
  std::uint64_t save_votes(const db::BulkStatement& statement, const Winners& winners,
                           const Winners& held) const;
  void save_holds(const Winners& held) const;
  void save_reasons(const Winners& winners, const Votes& stored) const;

  db::Connection& connection_;
  const BulkRows rows_;
};

}  // namespace transfer
