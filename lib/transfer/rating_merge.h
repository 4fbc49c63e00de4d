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

// The row counts for a call, by outcome.
struct MergeCounts {
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t kept = 0;     // rows that are not newer than the stored version
  std::size_t too_old = 0;  // skipped: these votes may already be part of an aggregate

  MergeCounts& operator+=(const MergeCounts& other);
  bool operator==(const MergeCounts&) const = default;
};

// The state that merge() keeps from one slice to the next, so that less must be read. Must be used
// by only one thread.
struct MergeMemory {
  ActiveDays active_days;
  // If true, the ratings are inserted without first reading which ratings are stored. If any rating
  // is already stored, the slice is repeated. The repetition first locks the stored ratings, which
  // is slower.
  bool are_probably_new = true;
};

// Adds past ratings and aggregates (transfer/bulk_rows.h).
//
// After a vote was aggregated, it exists only as part of a sum, so it is unknown whether the sum
// contains an imported rating. Therefore, merge() skips new ratings from before the time up to
// which votes were aggregated (transfer/retention.h). Imported aggregates with the source
// "retention" raise this time, too. Such an aggregate is skipped if the database contains votes
// from the same day that may be part of it. So no vote is counted twice, no matter in which order
// ratings and aggregates are imported.
class RatingMerge {
 public:
  // "connection" must outlive this object.
  explicit RatingMerge(db::Connection& connection) : connection_(connection), rows_(connection) {}

  // Stores each rating, unless the stored rating with the same key is not older. If a held rating
  // is replaced, the new rating is held, too. Otherwise, the new rating is counted. The earlier of
  // the two timestamps becomes its created_at. Callers with many ratings should pass the same
  // "memory" each time. If a visitor's row is stored, the visitor's ratings are stored for the
  // voter in this row (store/front_end_visitors.h). Rows for other visitors are added. REQUIRES: at
  // most kRatingsAtOnce ratings.
  MergeCounts merge(std::span<const StoredRating> ratings, MergeMemory& memory) const;

  // merge_aggregates() stores each aggregate, unless the last vote in the stored aggregate with the
  // same key is not older. set_aggregates() always replaces stored aggregates. If votes from the
  // same day are stored, aggregates with the source "retention" are merged only if "is_restore"
  // says that votes and aggregates come from the same export. REQUIRES: at most kRatingsAtOnce
  // aggregates. Each aggregate has votes and the time of the last vote.
  MergeCounts merge_aggregates(std::span<const rollups::Aggregate> aggregates,
                               bool is_restore = false) const;
  MergeCounts set_aggregates(std::span<const rollups::Aggregate> aggregates) const;
  // Returns whether merge_aggregates() stores "given". "stored" is the stored aggregate with the
  // same key. If no aggregate is stored, "stored" has no votes. "more_votes" is added to the number
  // of stored votes that may be part of "given". "more_votes" may be negative.
  [[nodiscard]] bool replaces(const rollups::Aggregate& given, const model::Totals& stored,
                              const base::ZoneHistory& zones, bool is_restore,
                              std::int64_t more_votes = 0) const;

  // Replaces the aggregates with the keys "earlier" with "aggregates" and calls "also", all in one
  // transaction, which may be repeated. Votes wait for the transaction, so callers should pass the
  // aggregates of only a few objects at a time. REQUIRES: each aggregate has votes and the time of
  // the last vote.
  void replace_aggregates(std::span<const rollups::Aggregate::Key> earlier,
                          std::span<const rollups::Aggregate> aggregates,
                          const std::function<void()>& also) const;

  // Returns "given" with a single voter for all of a visitor's ratings. This is the stored voter
  // or, if no voter is stored, the first voter in "given". If the result differs from "given", its
  // ratings are in "changed".
  std::span<const StoredRating> of_stored_voters(std::span<const StoredRating> given,
                                                 std::vector<StoredRating>& changed) const;

  // Returns whether any vote is stored, even if it is held.
  [[nodiscard]] bool has_votes() const;

  // Moves the aggregates with these keys. Adds each aggregate to the aggregate of "into" with the
  // same day and source, and then deletes it. Returns how many aggregates were moved. REQUIRES: at
  // most kRatingsAtOnce keys, none of them for the object "into".
  std::size_t move_aggregates(std::span<const rollups::Aggregate::Key> keys,
                              const model::Object& into) const;

 private:
  using Row = BulkRows::Row;
  using Votes = BulkRows::Votes;
  using Voters = BulkRows::Voters;
  using Changes = rollups::RollupChanges;
  using Aggregates = BulkRows::Aggregates;
  using AggregateKeys = BulkRows::AggregateKeys;
  using Winners = std::map<model::RatingKey, const StoredRating*>;
  using Replaces = std::function<bool(const rollups::Aggregate& given, const model::Totals& stored,
                                      const base::ZoneHistory& zones)>;

  MergeCounts merge_part(std::span<const StoredRating> ratings, MergeMemory& memory) const;
  bool merge_in(std::span<const StoredRating> given, MergeMemory& memory,
                MergeCounts& counts) const;
  Voters lock_voters(std::span<const StoredRating> ratings, Changes& changes) const;
  MergeCounts change_aggregates(std::span<const rollups::Aggregate> aggregates,
                                const Replaces& replaces) const;
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
