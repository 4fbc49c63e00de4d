#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/front_end_visitor.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/rollup_changes.h"
#include "store/named_values.h"
#include "transfer/active_days.h"
#include "transfer/slices.h"
#include "votes/suspicion.h"
#include "votes/vote_batch.h"
#include "votes/voter_days.h"

namespace transfer {

// A row of votes, for imports.
struct StoredRating {
  struct Hold {  // of a rating that is held, not counted
    votes::Reasons reasons = 0;
    base::Time held_at;
    bool operator==(const Hold&) const = default;
  };
  model::RatingKey key;
  model::Thousandths value = 0;  // valid in its category
  base::Time created_at;         // not after rated_at
  base::Time rated_at;
  std::optional<Hold> hold;
  std::string address;  // as stored in the votes table, up to 17 bytes
  std::optional<model::FrontEndVisitor> visitor =
      {};                   // of another front end, who is the anonymous voter
  std::string reason = {};  // of the voter; empty: none

  bool operator==(const StoredRating&) const = default;
};

// The source of aggregates that roll_up() makes.
inline constexpr const char* kRetention = "retention";

// The writer's slot (votes/vote_batch.h) of bulk operations: no other writer uses it, so votes do
// not wait for its rows.
inline constexpr std::uint8_t kBulkSlot = 255;

// The outcomes of the rows of a call.
struct MergeCounts {
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t kept = 0;       // rows whose stored version is the same or newer
  std::size_t rolled_up = 0;  // skipped: not newer than votes that were rolled up

  MergeCounts& operator+=(const MergeCounts& other);
  bool operator==(const MergeCounts&) const = default;
};

// What merge() remembers from one slice to the next, so that it reads less. Used by one thread.
struct MergeMemory {
  ActiveDays active_days;
  // The ratings are inserted without reading which of them are stored. That is repeated more slowly
  // if any of them is.
  bool are_probably_new = true;
};

// DESIGN. Changes many ratings of the past while votes arrive. Each call is one transaction of at
// most kAtOnce rows, so that votes never wait long; if it conflicts with others, it is divided. It
// locks rows in the order of a batch of votes (votes/vote_batch.h), and aggregates after votes. It
// changes votes, aggregates and all rollups by the difference, also the new rollups of a rebuild
// (rollups/rebuild.h). The rules of votes do not apply, and votes are never suspected.
//
// A vote that was rolled up is only part of a sum, so it is unknown whether an imported rating is
// contained in it. So roll_up() stores the time up to which votes were rolled up, and merge() skips
// new ratings before that time. The time is written in the same transaction as the votes, and read
// after their voters are locked. Imported aggregates with the source "retention" raise that time,
// too; they are skipped if votes of the same day are stored that may be contained in them. So no
// vote is counted twice, in whichever order ratings and aggregates are imported.
//
// Used by one thread. Errors of all functions: as db::Connection; Conflict only after several
// attempts; BadData: a row does not fit its columns. After an error nothing is changed, or only
// parts of a divided call. Repeating a call is safe.
class BulkRatings {
 public:
  static constexpr std::size_t kAtOnce = Slices::kMost;

  // "connection" must outlive this.
  explicit BulkRatings(db::Connection& connection) : connection_(connection) {}

  // Stores each rating unless one with its key is stored that is not older. A replaced rating stays
  // held, or counted, and its created_at becomes the earlier of both. Callers with many ratings
  // pass the same "memory" each time. The ratings of a visitor whose row is stored go to the voter
  // that the row names (store/front_end_visitors.h); rows of other visitors are added. REQUIRES: at
  // most kAtOnce.
  MergeCounts merge(std::span<const StoredRating> ratings, MergeMemory& memory) const;

  // merge_aggregates() stores each aggregate unless one with its key is stored whose last vote is
  // not older; set_aggregates() replaces stored ones always. If votes of the same day are stored,
  // aggregates with the source "retention" are merged only if "is_restore" says that both come from
  // the same export. REQUIRES: at most kAtOnce, each with votes and the time of the last vote.
  MergeCounts merge_aggregates(std::span<const rollups::Aggregate> aggregates,
                               bool is_restore = false) const;
  MergeCounts set_aggregates(std::span<const rollups::Aggregate> aggregates) const;

  // Whether any vote is stored, counted or held.
  [[nodiscard]] bool has_votes() const;

  // Deletes the votes with these keys that were last changed before "before", also held ones, and
  // returns their number. The activity that is known from these votes is deleted, too, and all data
  // of voters without remaining votes, except for days that count nothing
  // (rollups::delete_empty_days()). REQUIRES: at most kAtOnce.
  std::size_t remove(std::span<const model::RatingKey> keys,
                     base::Time before = base::Time::max()) const;

  // Deletes all data of those of "voters" who have no votes and whose last active day is before
  // "before", and returns their number. REQUIRES: at most kAtOnce.
  std::size_t remove_unused_voters(std::span<const model::VoterId> voters,
                                   base::Day before = base::Day::max()) const;

  // Erases the addresses and the hashes of user agents of the votes with these keys that were last
  // changed before "before". Returns the number of votes that had any. REQUIRES: at most kAtOnce.
  std::size_t erase_addresses(std::span<const model::RatingKey> keys,
                              base::Time before = base::Time::max()) const;

  // Deletes the aggregates with these keys, and returns their number. REQUIRES: at most kAtOnce.
  std::size_t remove_aggregates(std::span<const rollups::Aggregate::Key> keys) const;

  // Adds the aggregates with these keys to those of "into" on the same day from the same source,
  // and deletes them. Returns their number. REQUIRES: at most kAtOnce, of other objects.
  std::size_t move_aggregates(std::span<const rollups::Aggregate::Key> keys,
                              const model::Object& into) const;

  // Rolls up the oldest counted ratings that were last changed before "before" into aggregates: at
  // most kAtOnce. Returns their number; 0: there are no more. The sums of objects and of the site
  // do not change. The activity of voters stays until a rebuild. The ratings of users are removed
  // from the sums by user. The sums by day lose whether scale values below 0.05 were above zero.
  std::size_t roll_up(base::Time before) const;

  // The time up to which votes were rolled up; nothing if that never happened. clear_roll_up()
  // removes it. REQUIRES for clear_roll_up(): the aggregates are deleted.
  [[nodiscard]] std::optional<base::Time> rolled_up_before() const;
  void clear_roll_up() const;

 private:
  struct Row {  // of votes
    model::Thousandths value = 0;
    base::Time created_at, rated_at;
    bool is_held = false;
  };
  using Votes = std::map<model::RatingKey, Row>;
  using Winners = std::map<model::RatingKey, const StoredRating*>;
  using Voters = std::set<model::VoterId>;
  using Sets = std::vector<rollups::RollupChanges>;
  using Aggregates = std::map<rollups::Aggregate::Key, model::Totals>;
  using AggregateKeys = std::set<rollups::Aggregate::Key>;
  using Replaces = std::function<bool(const rollups::Aggregate& given, const model::Totals& stored,
                                      const base::Zone& zone)>;

  MergeCounts merge_part(std::span<const StoredRating> ratings, MergeMemory& memory) const;
  bool merge_in(std::span<const StoredRating> given, MergeMemory& memory,
                MergeCounts& counts) const;
  std::size_t remove_in(std::span<const model::RatingKey> keys, base::Time before) const;
  MergeCounts change_aggregates(std::span<const rollups::Aggregate> aggregates,
                                const Replaces& replaces) const;
  bool has_votes_of(const rollups::Aggregate::Key& key, const base::Zone& zone) const;
  void note_roll_up(base::Time before) const;
  std::size_t roll_up_in(std::span<const model::RatingKey> keys, base::Time before) const;

  std::span<const StoredRating> of_stored_voters(std::span<const StoredRating> given,
                                                 std::vector<StoredRating>& changed) const;
  void save_visitors(std::span<const StoredRating> ratings, const Winners& winners,
                     const Votes& stored) const;
  void delete_visitors(const Voters& voters) const;

  static Winners find_winners(std::span<const StoredRating> ratings, const Votes& stored,
                              base::Time rolled_up, MergeCounts& counts);
  void add_activity(const Winners& counted, Sets& sets, ActiveDays& active_days) const;
  [[nodiscard]] ActiveDays::Mark mark_of(const rollups::RollupState& state) const;

  Sets lock(const Voters& voters) const;
  void write(const Sets& sets) const;
  static Row row_in(const db::Rows& row);
  Votes lock_votes(const std::set<model::RatingKey>& keys) const;
  std::uint64_t save_votes(const db::BulkStatement& statement, const Winners& winners,
                           const Winners& held) const;
  std::uint64_t delete_votes(const Votes& votes) const;
  void save_holds(const Winners& held) const;
  void save_reasons(const Winners& winners, const Votes& stored) const;
  void delete_holds(const Votes& votes) const;
  Voters voters_without_votes(const Voters& voters) const;
  Aggregates lock_aggregates(const AggregateKeys& keys) const;
  void save_aggregates(const Aggregates& aggregates) const;
  void delete_aggregates(const Aggregates& aggregates) const;
  std::vector<model::RatingKey> oldest_votes(base::Time before) const;

  db::Connection& connection_;
};

}  // namespace transfer
