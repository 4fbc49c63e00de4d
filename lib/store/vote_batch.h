#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "store/ballot.h"
#include "store/rollup_store.h"

namespace store {

// The texts of the statements that a batch of votes runs, made once.
struct VoteStatements {
  explicit VoteStatements(const std::string& table_prefix);

  db::BulkStatement claim_fingerprints, read_fingerprints, renew_fingerprints;
  db::BulkStatement lock_voters, read_voters, save_voters;
  db::BulkStatement read_votes, save_votes;
  db::BulkStatement add_totals, add_daily, add_site_daily, add_users, add_user_daily, add_reach;
  RollupStore rollups;
  std::string delete_vote, refresh_last_rated_at, save_sequence, lock_sequence;
};

// Identifies a writer: its row in the table of writers, and its share of the rows that every vote
// touches, so that writers do not wait for each other there.
struct WriterId {
  std::uint64_t id = 0;
  std::uint8_t slot = 0;
};

// DESIGN. One batch of ballots in one transaction, a handful of multi-row statements whatever its
// size. Rows are locked in the order fingerprints, voters, votes, totals, daily, site_daily, users,
// user_daily, reach, and in key order within a table, so that two batches rarely deadlock. A
// voter's row is made first if need be, then locked: two first votes of one voter, even from two
// hosts, come one after the other. Ballots are decided in memory, in their order, against the rows
// read under these locks; totals and rollups change by the sums of (new - old). A ballot that
// carries a rating over locks and reads both voters, in the same statements.
class VoteBatch {
 public:
  // All must outlive the batch.
  VoteBatch(db::Connection& connection, const VoteStatements& statements, const base::Zone& zone,
            WriterId writer);

  // Whether anybody still waits for the ballot with this index.
  using IsWanted = std::function<bool(std::size_t)>;

  // Runs the batch up to and with its commit, and writes "sequence" into the writer's row.
  // "receipts" has one receipt for each ballot, valid if the commit took place: also when its
  // answer was lost.
  //
  // A ballot that is not wanted any more when the voters' rows are locked is passed over: its voter
  // was told to repeat it, may have done so by another writer, and must not be overtaken by the
  // past.
  //
  // Errors: db::ConnectionLost - whether the batch was committed is unknown.
  //         db::Conflict, db::BadData, db::Failure - nothing was changed.
  void run(std::span<const Ballot> ballots, const IsWanted& is_wanted, std::uint64_t sequence,
           std::vector<Receipt>& receipts);

 private:
  struct TotalsKey {
    model::Object object;
    model::Category category;
    auto operator<=>(const TotalsKey&) const = default;
  };
  struct DailyKey {  // in the order of the primary key
    model::Category category;
    base::Day day;
    std::string object_type;
    std::uint64_t object_id;
    auto operator<=>(const DailyKey&) const = default;
  };
  struct DailySums {
    std::int64_t total = 0, sum = 0, positive = 0, negative = 0;
  };
  struct SiteKey {  // in the order of the primary key
    base::Day day;
    model::Category category;
    std::string object_type;
    auto operator<=>(const SiteKey&) const = default;
  };
  struct UserKey {
    std::uint64_t user_id;
    model::Category category;
    auto operator<=>(const UserKey&) const = default;
  };
  struct UserSums {
    std::int64_t total = 0, sum = 0;
    std::optional<base::Time> first_active_at;
    base::Time last_active_at;
  };
  struct UserDayKey {  // in the order of the primary key
    base::Day day;
    std::uint64_t user_id;
    model::Category category;
    std::string object_type;
    auto operator<=>(const UserDayKey&) const = default;
  };
  struct ReachKey {
    base::Day day, previous_day;
    auto operator<=>(const ReachKey&) const = default;
  };
  struct VoterKey {  // whose ratings of which object
    model::Object object;
    model::VoterId voter;
    auto operator<=>(const VoterKey&) const = default;
  };
  struct Saved {  // a row of votes to be written
    OwnRating rating;
    std::string address;
  };

  void resolve_voters(std::span<const Ballot> ballots);
  void lock_voters(std::span<const Ballot> ballots);
  void read_votes(std::span<const Ballot> ballots);
  Receipt decide(const Ballot& ballot, model::VoterId voter);
  Receipt::Outcome carry_out(const Ballot& ballot, const model::RatingKey& key,
                             const std::optional<OwnRating>& earlier);
  Receipt::Outcome set(const Ballot& ballot, const model::RatingKey& key,
                       const std::optional<OwnRating>& earlier);
  void withdraw(const model::RatingKey& key);
  void count(const model::RatingKey& key, const OwnRating& rating, std::int64_t sign);
  void note_activity(const model::RatingKey& key, base::Time at);
  [[nodiscard]] std::optional<OwnRating> rating_of(const model::RatingKey& key) const;
  [[nodiscard]] OwnRatings own_ratings(const model::Object& object, model::VoterId voter) const;
  [[nodiscard]] bool has_changes() const { return !saved_.empty() || !deleted_.empty(); }
  void write_votes();
  void write_totals();
  void write_daily();
  void write_site_daily();
  void write_users();
  void write_user_daily();
  void write_voters();
  void write_sequence(std::uint64_t sequence);
  void read_stats(std::span<const Ballot> ballots, std::vector<Receipt>& receipts);

  db::Connection& connection_;
  const VoteStatements& statements_;
  const base::Zone& zone_;
  const WriterId writer_;

  std::vector<model::VoterId> voters_;  // of each ballot
  std::map<model::VoterId, base::Day> last_days_;
  std::map<model::RatingKey, OwnRating> votes_;  // as stored, then as they will be
  std::map<model::RatingKey, Saved> saved_;
  std::set<model::RatingKey> deleted_;
  std::map<TotalsKey, base::Time> withdrawn_;  // the newest that was taken away, by its time
  std::map<TotalsKey, model::Totals> totals_;
  std::map<DailyKey, DailySums> daily_;
  std::map<SiteKey, model::Totals> site_daily_;
  std::map<UserKey, UserSums> users_;
  std::map<UserDayKey, DailySums> user_daily_;
  std::map<model::VoterId, base::Day> active_;
  std::map<ReachKey, std::int64_t> reach_;
};

}  // namespace store
