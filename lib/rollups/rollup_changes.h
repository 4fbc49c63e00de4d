#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/rollup_state.h"

namespace rollups {

// The oldest day that the database can hold: stands for "never".
inline constexpr base::Day kNeverActive = std::chrono::year(1000) / std::chrono::January / 1;

// The texts of the statements that change a set of rollups, made once.
struct RollupStatements {
  // "suffix" is that of the tables: nothing, or "_new".
  RollupStatements(const std::string& table_prefix, const std::string& suffix);

  db::BulkStatement add_totals, add_daily, add_site_daily, add_users, add_user_daily, add_reach;
  db::BulkStatement read_last_days, save_last_days;
  db::BulkStatement delete_voters, delete_users, delete_user_daily;
  std::string refresh_last_rated_at;
};

// Those of the rollups that everybody reads, and of those that a rebuild is making.
struct AllRollupStatements {
  explicit AllRollupStatements(const std::string& table_prefix)
      : sets{RollupStatements(table_prefix, ""), RollupStatements(table_prefix, "_new")} {}

  std::array<RollupStatements, 2> sets;
};

// What the ratings that one transaction counts, or counts no more, change in one set of rollups:
// gathered first, then written with one change for each row, in key order. New rollups hear only of
// what they have already; what they do not have yet, the rebuild adds. Used by one thread.
class RollupChanges {
 public:
  // Of all sets of rollups that there are: those that everybody reads come first. "slot" is the
  // writer's share of the rows that every vote touches.
  static std::vector<RollupChanges> of(const RollupState& state, std::uint8_t slot);

  [[nodiscard]] const base::Zone& zone() const { return zone_; }
  [[nodiscard]] bool is_of_new() const { return rebuild_.has_value(); }

  // Counts a rating.
  void add(const model::RatingKey& key, const model::OwnRating& rating);
  // Counts a rating no more that another, not older, takes the place of.
  void subtract(const model::RatingKey& key, const model::OwnRating& rating);
  // Counts a rating no more that nothing takes the place of: when it was last rated is looked up
  // among the votes and balances while writing.
  void withdraw(const model::RatingKey& key, const model::OwnRating& rating);
  // The same of votes known as sums. Equal ones in both cancel each other out.
  void add(const Aggregate& aggregate);
  void withdraw(const Aggregate& aggregate);
  // A user's counted rating was cast at "first_at" already.
  void note_first(const model::RatingKey& key, base::Time first_at);

  // What a rebuild adds of a rating in each of its two passes, whatever the set has already.
  void add_to_object(const model::RatingKey& key, const model::OwnRating& rating);
  void add_to_voter(const model::RatingKey& key, const model::OwnRating& rating,
                    base::Time first_rated_at);
  void add_to_object(const Aggregate& aggregate);

  // Makes the last active days of "voters" known; the rows of those that everybody reads must be
  // locked.
  void read_last_days(db::Connection& connection, const AllRollupStatements& statements,
                      std::span<const model::VoterId> voters);
  // For those who have read the day themselves.
  void know_last_day(model::VoterId voter, base::Day day) { last_days_[voter] = day; }
  // Nothing of a voter that the set does not have yet. REQUIRES: it was made known, if it has.
  [[nodiscard]] std::optional<base::Day> last_day(model::VoterId voter) const;
  // Counts an activity of "voter" on "day", if that is later than all others. Returns whether it
  // is. REQUIRES: as last_day().
  bool note_activity(model::VoterId voter, base::Day day);
  // "before" and "after" are the days on which "voter" was active, as was known and as is known
  // now; the last of "after" is the new last day.
  using Days = std::set<base::Day>;
  void replace_activity(model::VoterId voter, const Days& before, const Days& after);

  // Locks and changes rows of totals, daily, site_daily, users, user_daily and reach, in this
  // order. REQUIRES: the votes and balances are written already.
  void write(db::Connection& connection, const AllRollupStatements& statements) const;
  // Writes the last days that were replaced, and forgets the ratings of other days.
  void write_last_days(db::Connection& connection, const AllRollupStatements& statements) const;

  // Deletes the rows of users of whom nothing is counted any more; and all rows of voters without
  // votes. REQUIRES: write() was called.
  void forget_users(db::Connection& connection, const AllRollupStatements& statements,
                    const std::set<model::VoterId>& voters) const;
  void forget_voters(db::Connection& connection, const AllRollupStatements& statements,
                     const std::set<model::VoterId>& voters) const;

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
    base::Time first_at = base::Time::max(), last_at = base::Time::min();
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

  RollupChanges(base::Zone zone, std::optional<Rebuild> rebuild, std::uint8_t slot)
      : zone_(std::move(zone)), rebuild_(std::move(rebuild)), slot_(slot) {}

  [[nodiscard]] const RollupStatements& of_this_set(const AllRollupStatements& statements) const {
    return statements.sets[is_of_new() ? 1 : 0];
  }
  void count(const model::RatingKey& key, const model::OwnRating& rating, std::int64_t sign);
  void count_in_object(const model::RatingKey& key, const model::OwnRating& rating,
                       std::int64_t sign);
  UserSums& count_in_user(const model::RatingKey& key, const model::OwnRating& rating,
                          std::int64_t sign);
  void count(const Aggregate& aggregate, std::int64_t sign);
  bool has(const Aggregate::Key& key);
  void note_time(const model::RatingKey& key, base::Time rated_at);
  void add_reach(base::Day day, base::Day previous_day, std::int64_t count);
  void count_reach(const Days& days, std::int64_t sign);
  void write_totals(db::Connection& connection, const RollupStatements& statements) const;
  void write_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_site_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_users(db::Connection& connection, const RollupStatements& statements) const;
  void write_user_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_reach(db::Connection& connection, const RollupStatements& statements) const;

  base::Zone zone_;
  std::optional<Rebuild> rebuild_;  // of which this set is the outcome
  std::uint8_t slot_;
  std::map<TotalsKey, model::Totals> totals_;
  std::map<TotalsKey, base::Time> withdrawn_;  // the newest that was taken away, by its time
  std::map<DailyKey, DailySums> daily_;
  std::map<SiteKey, model::Totals> site_daily_;
  std::map<UserKey, UserSums> users_;
  std::map<UserDayKey, DailySums> user_daily_;
  std::map<ReachKey, std::int64_t> reach_;
  std::map<model::VoterId, base::Day> last_days_;
  std::set<model::VoterId> replaced_;  // whose last days were replaced
};

}  // namespace rollups
