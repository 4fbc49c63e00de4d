#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/rollup.h"
#include "rollups/rollup_state.h"

namespace rollups {

// Identifies the totals whose newest rating is withdrawn. WithdrawnTimes contains the time of that
// rating.
struct TotalsKey {
  model::Object object;
  model::Category category;
  auto operator<=>(const TotalsKey&) const = default;
};
using WithdrawnTimes = std::map<TotalsKey, base::Time>;

// Looks up the time of the last rating for each of these totals and stores this time. Does not
// change a time that is later than the time of the withdrawn rating. REQUIRES: the votes,
// aggregates and sums have already been written. Errors: as db::Connection.
void look_up_last_rated_at(db::Connection& connection, const WithdrawnTimes& withdrawn);

// The changes that one transaction makes to the rollups. They are collected first, then written
// with one change per row, in key order. Used by one thread.
//
// An activity pair is a day on which a voter was active, and the last active day before it
// (kNeverActive for the first day). The table ratingd_reach counts the voters of each pair. So the
// number of distinct voters in a period is the number of voters in pairs that end in the period and
// begin before it.
class RollupChanges {
 public:
  // "slot" selects the writer's copy of the rows that every vote changes. Errors: the functions
  // that use the database throw as db::Connection.
  RollupChanges(const RollupState& state, std::uint8_t slot)
      : zones_(state.zones), slot_(slot), rows_(all_rollups().size()) {}

  [[nodiscard]] const base::ZoneHistory& zones() const { return zones_; }

  // Counts a rating. "first_at" is the time at which the user first cast it, if that was before the
  // rating's time.
  void add(const model::RatingKey& key, const model::OwnRating& rating,
           base::Time first_at = base::Time::max());
  // Stops counting a rating that is replaced by a rating with the same time or a later time.
  void subtract(const model::RatingKey& key, const model::OwnRating& rating) {
    count(key, rating, base::Time::max(), -1);
  }
  // Stops counting a rating that is not replaced. write() looks up the new time of the last rating
  // in the votes and aggregates.
  void withdraw(const model::RatingKey& key, const model::OwnRating& rating);
  // Do the same for aggregates. If an aggregate is both added and withdrawn, nothing changes.
  void add(const Aggregate& aggregate);
  void withdraw(const Aggregate& aggregate);

  // Counts a rating only in the given part of the rollups. Used by callers that count the other
  // part elsewhere.
  void add_part(Contribution::Part part, const model::RatingKey& key,
                const model::OwnRating& rating, base::Time first_at = base::Time::max());

  // Sets the last active day that is stored in the locked row of "voter".
  void set_last_day(model::VoterId voter, base::Day day) { last_days_[voter] = day; }
  // Sets the last day with which the row of "voter", who was never active, was inserted. write()
  // changes the row only if the voter's last day becomes a different day.
  void set_stored_day(model::VoterId voter, base::Day day) { stored_days_[voter] = day; }
  // REQUIRES: set_last_day() was called for "voter".
  [[nodiscard]] base::Day last_day(model::VoterId voter) const { return last_days_.at(voter); }
  // If "day" is later than the last day of "voter", counts the activity on this day and returns
  // true. Otherwise, returns false. REQUIRES: as last_day().
  bool note_activity(model::VoterId voter, base::Day day);
  // Replaces the active days "before" of "voter" by the active days "after". The latest day in
  // "after" becomes the last day.
  using Days = std::vector<base::Day>;  // sorted, each once
  void replace_activity(model::VoterId voter, const Days& before, const Days& after);
  // Stops counting the active days for a voter without votes. write() deletes the voter's rows.
  void remove_voter(model::VoterId voter, const Days& days);

  // Writes all changes. First writes the last days that were replaced. If a last day changes, the
  // number of ratings on the last day is reset. Next, deletes the rows of removed voters. This step
  // comes before the rollups because MySQL may scan all voters to find these rows and wait for
  // votes, which may wait for rollups. At the end, locks and changes rows in all_rollups(), in
  // their order. REQUIRES: the votes and aggregates have already been written.
  void write(db::Connection& connection) const;

  // Deletes the rows for users without counted ratings. Their rows in user_daily, whose sums are
  // now 0, cannot be found by user. So callers must call delete_empty_days() after the last slice.
  // REQUIRES: write() was called, which does this for removed voters.
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
  std::vector<Rollup::Rows> rows_;  // for each of all_rollups()
  WithdrawnTimes withdrawn_;
  std::map<model::VoterId, base::Day> last_days_;
  std::map<model::VoterId, base::Day> stored_days_;  // the stored last days of new voters
  std::set<model::VoterId> replaced_;                // voters whose last days were replaced
  std::set<model::VoterId> removed_;                 // voters whose rows are deleted
};

// Deletes the rows for users and days whose sums are 0, in short transactions. Reads the whole
// table. Errors: as db::Connection.
void delete_empty_days(db::Connection& connection);

}  // namespace rollups
