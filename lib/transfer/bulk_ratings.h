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
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/rollup_changes.h"
#include "votes/suspicion.h"
#include "votes/vote_batch.h"
#include "votes/voter_days.h"

namespace transfer {

// A row of votes, as it is taken over from elsewhere.
struct StoredRating {
  struct Hold {  // it is not counted, and why
    votes::Reasons reasons = 0;
    base::Time held_at;
    bool operator==(const Hold&) const = default;
  };
  model::RatingKey key;
  model::Thousandths value = 0;  // that its category allows
  base::Time created_at;         // not after rated_at
  base::Time rated_at;
  std::optional<Hold> hold;
  std::string address;  // as the votes table holds it, up to 17 bytes

  bool operator==(const StoredRating&) const = default;
};

// The source of balances that fold() makes.
inline constexpr const char* kRetention = "retention";

// What became of the rows of a call.
struct MergeCounts {
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t kept = 0;       // what is stored is as new, or newer
  std::size_t rolled_up = 0;  // passed over: older than what fold() left of votes

  MergeCounts& operator+=(const MergeCounts& other);
  bool operator==(const MergeCounts&) const = default;
};

// The texts of the statements, made once.
struct BulkStatements {
  explicit BulkStatements(const std::string& table_prefix);

  db::BulkStatement lock_votes, read_votes_of, save_votes, delete_votes, find_voters;
  db::BulkStatement make_aggregates, lock_aggregates, save_aggregates, delete_aggregates;
  db::BulkStatement erase_addresses;
  std::string find_any, find_oldest, find_vote_of_day, read_roll_up, save_roll_up, clear_roll_up;
};

// DESIGN. Changes many ratings of the past, while votes arrive. Each call is one transaction, of at
// most kAtOnce rows, so that votes never wait long; it locks rows in the order of a batch of votes
// (votes/vote_batch.h), balances after votes, and changes votes, balances and all rollups by the
// difference, also those that a rebuild is making (rollups/rebuild.h). Rules and allowances do not
// count here, and nothing is suspected.
//
// A folded vote is known as a sum only: nothing tells whether a rating that comes again is in it.
// So fold() notes up to which time it has folded votes, and merge() takes no older ones from then
// on. The note is in the same transaction as the votes, and read after their voters are locked.
// Folded sums that come from elsewhere raise it, too; and they are kept out where votes of their
// day are stored that may be in them: whichever comes first, no vote is counted twice.
//
// Safe for concurrent use, each caller with its own connection. Errors of all functions: as
// db::Connection; Conflict only after some attempts; BadData: a row that does not fit its columns.
// Nothing is changed then. Repeating a call is safe.
class BulkRatings {
 public:
  static constexpr std::size_t kAtOnce = 256;

  explicit BulkRatings(const std::string& table_prefix);

  // Stores "ratings", each if none is stored with its key, or an older one. A stored one that is
  // held, or counted, stays so; its created_at becomes the earlier of both. REQUIRES: at most
  // kAtOnce.
  MergeCounts merge(db::Connection& connection, std::span<const StoredRating> ratings) const;

  // Stores "balances", each if none is stored with its key, or one whose last vote is older; or
  // whatever is stored. Merged ones of folded votes may meet votes of the same day only if
  // "restores" says that these were stored beside them. REQUIRES: at most kAtOnce, each with votes
  // and the time of the last.
  MergeCounts merge_aggregates(db::Connection& connection,
                               std::span<const rollups::Aggregate> aggregates,
                               bool restores = false) const;
  MergeCounts set_aggregates(db::Connection& connection,
                             std::span<const rollups::Aggregate> aggregates) const;

  // Whether anything is rated, held or not.
  [[nodiscard]] bool has_votes(db::Connection& connection) const;

  // Deletes those of "keys" that are stored, held ones too, and were last changed before "before";
  // returns how many they are. Their activity is forgotten with them as far as it can be found, and
  // of voters who have no ratings left, everything is. REQUIRES: at most kAtOnce.
  std::size_t remove(db::Connection& connection, std::span<const model::RatingKey> keys,
                     base::Time before = base::Time::max()) const;

  // Deletes what is stored of those of "voters" who have no ratings: when they were active last,
  // and what leads to them. REQUIRES: at most kAtOnce.
  void forget(db::Connection& connection, std::span<const model::VoterId> voters) const;

  // Deletes the addresses of those of "keys" that were last changed before "before", and what tells
  // of user agents; returns how many had any. REQUIRES: at most kAtOnce.
  std::size_t erase_addresses(db::Connection& connection, std::span<const model::RatingKey> keys,
                              base::Time before = base::Time::max()) const;

  // Deletes those of "keys" that are stored; returns how many they are. REQUIRES: at most kAtOnce.
  std::size_t remove_aggregates(db::Connection& connection,
                                std::span<const rollups::Aggregate::Key> keys) const;

  // Turns the oldest counted ratings, last changed before "before", into balances: at most kAtOnce
  // of them; returns how many, 0 if there are none any more. Sums of objects and of the site stay
  // as they are, and so does the activity of voters, until a rebuild; what users rated is
  // forgotten. Of a scale value below 0.05 the sums by day do not know any more that it was above
  // zero.
  std::size_t roll_up(db::Connection& connection, base::Time before) const;

  // Up to when fold() has folded votes; nothing if it never has. forget_fold() makes it so:
  // REQUIRES that what it folded is gone.
  [[nodiscard]] std::optional<base::Time> rolled_up_before(db::Connection& connection) const;
  void clear_roll_up(db::Connection& connection) const;

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
  using Replaces =
      std::function<bool(const rollups::Aggregate::Key& key, const model::Totals& stored,
                         const model::Totals& sums, const base::Zone& zone)>;

  MergeCounts merge_in(db::Connection& connection, std::span<const StoredRating> ratings) const;
  std::size_t remove_in(db::Connection& connection, std::span<const model::RatingKey> keys,
                        base::Time before) const;
  void forget_in(db::Connection& connection, const Voters& voters) const;
  MergeCounts change_aggregates(db::Connection& connection,
                                std::span<const rollups::Aggregate> aggregates,
                                const Replaces& replaces) const;
  MergeCounts change_aggregates_in(db::Connection& connection,
                                   std::span<const rollups::Aggregate> aggregates,
                                   const Replaces& replaces) const;
  std::size_t remove_aggregates_in(db::Connection& connection,
                                   std::span<const rollups::Aggregate::Key> keys) const;
  bool has_votes_of(db::Connection& connection, const rollups::Aggregate::Key& key,
                    const base::Zone& zone) const;
  void note_roll_up(db::Connection& connection, base::Time before) const;
  std::size_t roll_up_in(db::Connection& connection, std::span<const model::RatingKey> keys,
                         base::Time before) const;

  static Winners find_winners(std::span<const StoredRating> ratings, const Votes& stored,
                              base::Time rolled_up, MergeCounts& counts);
  void add_activity(db::Connection& connection, const Winners& counted, Sets& sets) const;

  Sets lock(db::Connection& connection, const Voters& voters) const;
  void write(db::Connection& connection, const Sets& sets) const;
  static Row row_in(const db::Rows& row);
  Votes votes_of(db::Connection& connection, const Voters& voters) const;
  Votes lock_votes(db::Connection& connection, const std::set<model::RatingKey>& keys) const;
  void save_votes(db::Connection& connection, const Winners& winners, const Winners& held) const;
  void delete_votes(db::Connection& connection, const Votes& votes) const;
  void save_holds(db::Connection& connection, const Winners& held) const;
  void delete_holds(db::Connection& connection, const Votes& votes) const;
  Voters voters_without_votes(db::Connection& connection, Voters voters) const;
  void forget_voters(db::Connection& connection, const Voters& voters, const Sets& sets) const;
  Aggregates lock_aggregates(db::Connection& connection,
                             const std::set<rollups::Aggregate::Key>& keys) const;
  void save_aggregates(db::Connection& connection, const Aggregates& aggregates) const;
  std::vector<model::RatingKey> oldest_votes(db::Connection& connection, base::Time before) const;

  const votes::VoterDays voter_days_;
  const votes::VoteStatements votes_;
  const BulkStatements statements_;
};

}  // namespace transfer
