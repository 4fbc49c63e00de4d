#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "store/ballot.h"

namespace store {

// The oldest day that the database can hold: stands for "never".
inline constexpr base::Day kNeverActive = std::chrono::year(1000) / std::chrono::January / 1;

// The texts of the statements that change rollups, made once.
struct RollupStatements {
  explicit RollupStatements(const std::string& table_prefix);

  db::BulkStatement add_totals, add_daily, add_site_daily, add_users, add_user_daily, add_reach;
  std::string refresh_last_rated_at;
};

// What the ratings that one transaction counts, or counts no more, change in the rollups: gathered
// first, then written with one change for each row, in key order. Used by one thread.
class RollupChanges {
 public:
  // "zone" must outlive it. "slot" is the writer's share of the rows that every vote touches.
  RollupChanges(const base::Zone& zone, std::uint8_t slot) : zone_(zone), slot_(slot) {}

  [[nodiscard]] const base::Zone& zone() const { return zone_; }

  // Counts a rating.
  void add(const model::RatingKey& key, const OwnRating& rating);
  // Counts a rating no more that another, not older, takes the place of.
  void subtract(const model::RatingKey& key, const OwnRating& rating);
  // Counts a rating no more that nothing takes the place of: when it was last rated is looked up
  // among the votes and balances while writing. If none is left: never, so that an older vote that
  // is taken over later can be the last.
  void withdraw(const model::RatingKey& key, const OwnRating& rating);

  // A user's counted rating was cast at "first_at" already.
  void note_first(const model::RatingKey& key, base::Time first_at);

  // Counts votes on "day" that are known only as "sums", or counts them no more: when something was
  // last rated is looked up as in withdraw(). Equal ones in both cancel each other out.
  void add_balance(const model::Object& object, model::Category category, base::Day day,
                   const model::Totals& sums);
  void withdraw_balance(const model::Object& object, model::Category category, base::Day day,
                        const model::Totals& sums);

  // "count" more voters were active on "day" and, before it, last on "previous_day".
  void add_reach(base::Day day, base::Day previous_day, std::int64_t count);

  // Locks and changes rows of totals, daily, site_daily, users, user_daily and reach, in this
  // order. REQUIRES: the votes and balances are written already.
  void write(db::Connection& connection, const RollupStatements& statements) const;

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

  void count(const model::RatingKey& key, const OwnRating& rating, std::int64_t sign);
  void count_balance(const TotalsKey& key, base::Day day, const model::Totals& sums,
                     std::int64_t sign);
  void write_totals(db::Connection& connection, const RollupStatements& statements) const;
  void write_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_site_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_users(db::Connection& connection, const RollupStatements& statements) const;
  void write_user_daily(db::Connection& connection, const RollupStatements& statements) const;
  void write_reach(db::Connection& connection, const RollupStatements& statements) const;

  const base::Zone& zone_;
  const std::uint8_t slot_;
  std::map<TotalsKey, model::Totals> totals_;
  std::map<TotalsKey, base::Time> withdrawn_;  // the newest that was taken away, by its time
  std::map<DailyKey, DailySums> daily_;
  std::map<SiteKey, model::Totals> site_daily_;
  std::map<UserKey, UserSums> users_;
  std::map<UserDayKey, DailySums> user_daily_;
  std::map<ReachKey, std::int64_t> reach_;
};

}  // namespace store
