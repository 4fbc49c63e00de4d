#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/rollup.h"
#include "rollups/rollup_state.h"

namespace rollups {

// Identifies the totals for an object and a category. If an object's newest rating was withdrawn,
// WithdrawnTimes contains the time of that rating.
struct TotalsKey {
  model::Object object;
  model::Category category;
  auto operator<=>(const TotalsKey&) const = default;
};
using WithdrawnTimes = std::map<TotalsKey, base::Time>;

// For each key in "withdrawn", finds the time of the last rating and stores this time in the
// object's totals. Keeps the stored time if it is later than the time of the withdrawn rating. The
// caller must already have written the votes, aggregates and sums. Throws the same exceptions as
// db::Connection.
void look_up_last_rated_at(db::Connection& connection, const WithdrawnTimes& withdrawn);

// Collects all changes that a transaction makes to the rollups, and then writes the changes in key
// order. Each row is changed only once. The class is not thread-safe.
//
// An activity pair consists of two successive days on which a voter was active, or of kNeverActive
// and the voter's first active day. The ratingd_reach table contains the number of voters for each
// activity pair. The number of voters who were active in a period is the sum over the pairs whose
// later day is in the period and whose earlier day is before the period.
class RollupChanges {
 public:
  // Some rollups have several copies of each row, and "slot" is the number of the copy that this
  // writer changes. The functions that use the database throw the same exceptions as
  // db::Connection.
  RollupChanges(const RollupState& state, std::uint8_t slot)
      : zones_(state.zones), slot_(slot), rows_(all_rollups().size()) {}

  [[nodiscard]] const base::ZoneHistory& zones() const { return zones_; }

  // Counts a rating. "first_at" is the time of the user's first vote with the key "key", if one
  // exists.
  void add(const model::RatingKey& key, const model::OwnRating& rating,
           base::Time first_at = base::Time::max());
  // Stops counting a rating that is replaced by a rating with the same or a later time.
  void subtract(const model::RatingKey& key, const model::OwnRating& rating) {
    count(key, rating, base::Time::max(), -1);
  }
  // Stops counting a rating that is not replaced by a newer rating, for example a deleted rating.
  // When write() runs, it determines the time of the last rating from the remaining votes and
  // aggregates.
  void withdraw(const model::RatingKey& key, const model::OwnRating& rating);
  // Starts or stops counting an aggregate. If the same aggregate is both added and withdrawn, the
  // sums do not change.
  void add(const Aggregate& aggregate);
  void withdraw(const Aggregate& aggregate);

  // Counts a rating only in the rollups that belong to "part". The caller must update all other
  // rollups.
  void add_part(Contribution::Part part, const model::RatingKey& key,
                const model::OwnRating& rating, base::Time first_at = base::Time::max());

  // Sets the last active day of "voter" to the day that the caller has read from the voter's locked
  // row.
  void set_last_day(model::VoterId voter, base::Day day) { last_days_[voter] = day; }
  // Sets the last active day of a new voter, whose row the caller has inserted with this day. If
  // the day does not change again, write() does not write the row.
  void set_stored_day(model::VoterId voter, base::Day day) { stored_days_[voter] = day; }
  // Returns the last active day of a voter. The caller must have called set_last_day() for the
  // voter first.
  [[nodiscard]] base::Day last_day(model::VoterId voter) const { return last_days_.at(voter); }
  // If "day" is later than the voter's last active day, counts the voter as active on "day" and
  // returns true. Returns false if "day" is the voter's last active day or earlier. The caller must
  // have called set_last_day() for the voter.
  bool note_activity(model::VoterId voter, base::Day day);
  // Replaces the days on which the voter counts as active: "before" contains the old days, and
  // "after" contains the new days. The latest day in "after" becomes the voter's last active day.
  using Days = std::vector<base::Day>;  // sorted, without duplicates
  void replace_activity(model::VoterId voter, const Days& before, const Days& after);
  // Stops counting the activity of a voter who no longer has any votes. Later, write() deletes the
  // voter's rows.
  void remove_voter(model::VoterId voter, const Days& days);

  // Writes all changes. First, writes the last active day of each voter whose last active day has
  // changed, and sets the voter's number of ratings on this day to 0. Next, deletes the rows of
  // removed voters. The rollups must not be locked yet, because MySQL may scan all voters and wait
  // for vote transactions, which in turn wait for the rollups. Finally, locks and changes the
  // rollup rows, in the order of all_rollups(). The caller must already have written the votes and
  // aggregates.
  void write(db::Connection& connection) const;

  // Deletes the rows of users without counted ratings. Does not delete the users' rows in the
  // user_daily table, because this table has no index on the user. After the last call to
  // delete_users(), call delete_empty_days() to delete the empty rows in user_daily. Call write()
  // first, because write() deletes the rows of removed voters.
  void delete_users(db::Connection& connection, const std::set<model::VoterId>& voters) const;

 private:
  void count(Contribution contribution);
  void count(const model::RatingKey& key, const model::OwnRating& rating, base::Time first_at,
             std::int64_t sign);
  void note_withdrawal(const model::Object& object, model::Category category, base::Time rated_at);
  void add_activity_pair(base::Day day, base::Day previous_day, std::int64_t count);
  void count_activity_pairs(const Days& days, std::size_t first, std::size_t end,
                            std::int64_t sign);
  void write_last_days(db::Connection& connection) const;

  base::ZoneHistory zones_;
  std::uint8_t slot_;
  std::vector<Rollup::Rows> rows_;  // the rows for each rollup in all_rollups()
  WithdrawnTimes withdrawn_;
  std::map<model::VoterId, base::Day> last_days_;
  std::map<model::VoterId, base::Day> stored_days_;  // the stored last active days of new voters
  std::set<model::VoterId> replaced_;                // voters whose last active days were replaced
  std::set<model::VoterId> removed_;                 // voters whose rows are deleted
};

// Reads the whole user_daily table, and deletes all rows whose sums are 0, in short transactions.
// Throws the same exceptions as db::Connection.
void delete_empty_days(db::Connection& connection);

}  // namespace rollups
