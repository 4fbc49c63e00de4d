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

// The earliest day that the database can store; means "never".
inline constexpr base::Day kNeverActive = std::chrono::year(1000) / std::chrono::January / 1;

// The statements that change one set of rollups, built once.
struct RollupStatements {
  // "suffix" of the table names: empty or "_new".
  RollupStatements(const std::string& table_prefix, const std::string& suffix);

  db::BulkStatement add_totals, add_daily, add_site_daily, add_users, add_user_daily,
      add_activity_pairs;
  db::BulkStatement read_last_days, save_last_days;
  db::BulkStatement delete_voters, delete_users, delete_user_daily;
  db::BulkStatement refresh_last_rated_at;
};

// For the current rollups, and for the new ones of a rebuild.
struct AllRollupStatements {
  explicit AllRollupStatements(const std::string& table_prefix)
      : sets{RollupStatements(table_prefix, ""), RollupStatements(table_prefix, "_new")} {}

  std::array<RollupStatements, 2> sets;
};

// The changes that one transaction makes to one set of rollups. They are collected first, then
// written with one change per row, in key order. The new rollups of a rebuild get only changes of
// rows that they contain; the rebuild adds the other rows later. Used by one thread.
//
// An activity pair is a day on which a voter was active, and the last active day before it
// (kNeverActive for the first). The table ratingd_reach counts the voters of each pair; so the
// distinct voters of a period are those whose previous day lies before it.
class RollupChanges {
 public:
  // One for the current rollups, and a second one during a rebuild. "slot" selects the writer's
  // copy of the rows that every vote changes.
  static std::vector<RollupChanges> for_all_sets(const RollupState& state, std::uint8_t slot);

  [[nodiscard]] const base::Zone& zone() const { return zone_; }
  [[nodiscard]] bool is_for_rebuild() const { return rebuild_.has_value(); }

  // Counts a rating.
  void add(const model::RatingKey& key, const model::OwnRating& rating);
  // Stops counting a rating that a rating of the same time or a newer one replaces.
  void subtract(const model::RatingKey& key, const model::OwnRating& rating);
  // Stops counting a rating that is not replaced: write() looks up the new time of the last rating
  // in the votes and aggregates.
  void withdraw(const model::RatingKey& key, const model::OwnRating& rating);
  // The same for aggregates. Adding and withdrawing equal ones has no effect.
  void add(const Aggregate& aggregate);
  void withdraw(const Aggregate& aggregate);
  // Notes that a user first cast a counted rating at "first_at".
  void note_first_time(const model::RatingKey& key, base::Time first_at);

  // For the two passes of a rebuild: add to the sums by object or by voter, whatever the progress.
  void add_to_object(const model::RatingKey& key, const model::OwnRating& rating);
  void add_to_voter(const model::RatingKey& key, const model::OwnRating& rating,
                    base::Time first_rated_at);
  void add_to_object(const Aggregate& aggregate);

  // Reads the last active days of "voters". REQUIRES: their rows in the current rollups are locked.
  void read_last_days(db::Connection& connection, const AllRollupStatements& statements,
                      std::span<const model::VoterId> voters);
  // For callers that have read the last day themselves.
  void set_last_day(model::VoterId voter, base::Day day) { last_days_[voter] = day; }
  // Nothing for a voter whom the new rollups do not contain yet. REQUIRES: for others it was read
  // or set.
  [[nodiscard]] std::optional<base::Day> last_day(model::VoterId voter) const;
  // Adds the activity of "voter" on "day" if it is later than the last day. Returns whether it is.
  // REQUIRES: as last_day().
  bool note_activity(model::VoterId voter, base::Day day);
  // Replaces the active days "before" of "voter" by "after"; the last of "after" becomes the last
  // day.
  using Days = std::set<base::Day>;
  void replace_activity(model::VoterId voter, const Days& before, const Days& after);

  // Stops counting the active days of a voter who will be deleted.
  void withdraw_activity(model::VoterId voter, const Days& days);
  // Adds an active day of "voter" between "previous" (kNeverActive: none) and "next", which follow
  // each other; without "next" it becomes the last day.
  void insert_active_day(model::VoterId voter, base::Day day, base::Day previous,
                         std::optional<base::Day> next);

  // Locks and changes rows of totals, daily, site_daily, users, user_daily and reach, in this
  // order. REQUIRES: the votes and aggregates are written already.
  void write(db::Connection& connection, const AllRollupStatements& statements) const;
  // Writes the replaced last days. Resets the number of ratings of the day if the day changes.
  void write_last_days(db::Connection& connection, const AllRollupStatements& statements) const;

  // delete_users() deletes the rows of users without counted ratings, delete_voters() all rows of
  // voters without votes. REQUIRES: write() was called.
  void delete_users(db::Connection& connection, const AllRollupStatements& statements,
                    const std::set<model::VoterId>& voters) const;
  void delete_voters(db::Connection& connection, const AllRollupStatements& statements,
                     const std::set<model::VoterId>& voters) const;
  // The same, but leaves the rows of user_daily, which cannot be found by user.
  void delete_voters_only(db::Connection& connection, const AllRollupStatements& statements,
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
  struct ActivityPair {
    base::Day day, previous_day;
    auto operator<=>(const ActivityPair&) const = default;
  };

  RollupChanges(base::Zone zone, std::optional<Rebuild> rebuild, std::uint8_t slot)
      : zone_(std::move(zone)), rebuild_(std::move(rebuild)), slot_(slot) {}

  [[nodiscard]] const RollupStatements& of_this_set(const AllRollupStatements& statements) const {
    return statements.sets[is_for_rebuild() ? 1 : 0];
  }
  void count(const model::RatingKey& key, const model::OwnRating& rating, std::int64_t sign);
  void count_in_object(const model::RatingKey& key, const model::OwnRating& rating,
                       std::int64_t sign);
  UserSums& count_in_user(const model::RatingKey& key, const model::OwnRating& rating,
                          std::int64_t sign);
  void count(const Aggregate& aggregate, std::int64_t sign);
  bool change_version(const Aggregate::Key& key);
  void update_last_rated_at(const model::RatingKey& key, base::Time rated_at);
  void add_activity_pair(base::Day day, base::Day previous_day, std::int64_t count);
  void count_activity_pairs(const Days& days, std::int64_t sign);
  void write_totals(db::Connection& connection, const RollupStatements& statements) const;
  void write_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_site_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_users(db::Connection& connection, const RollupStatements& statements) const;
  void write_user_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_activity_pairs(db::Connection& connection, const RollupStatements& statements) const;

  base::Zone zone_;
  std::optional<Rebuild> rebuild_;  // that fills this set; nothing: the current rollups
  std::uint8_t slot_;
  std::map<TotalsKey, model::Totals> totals_;
  std::map<TotalsKey, base::Time> withdrawn_;  // the time of the newest withdrawn rating
  std::map<DailyKey, DailySums> daily_;
  std::map<SiteKey, model::Totals> site_daily_;
  std::map<UserKey, UserSums> users_;
  std::map<UserDayKey, DailySums> user_daily_;
  std::map<ActivityPair, std::int64_t> activity_pairs_;
  std::map<model::VoterId, base::Day> last_days_;
  std::set<model::VoterId> replaced_;  // voters whose last days were replaced
};

}  // namespace rollups
