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

// For each of these totals, looks up and stores the time of the last rating. Does not change the
// stored time if it is later than the time of the withdrawn rating. REQUIRES: the votes, aggregates
// and sums have already been written. Errors: same as db::Connection.
void look_up_last_rated_at(db::Connection& connection, const WithdrawnTimes& withdrawn);

// The changes that one transaction makes to the rollups. The changes are first collected and then
// written in key order, with one change per row. Must be used by only one thread.
//
// An activity pair is a day on which a voter was active, and the last active day before it
// (kNeverActive for the first day). The table ratingd_reach contains the number of voters for each
// pair. So the number of distinct voters in a period is the number of voters in the pairs that end
// in the period and begin before it.
class RollupChanges {
 public:
  // "slot" selects the writer's copy of the rows that every vote changes. Errors: the functions
  // that use the database throw as db::Connection.
  RollupChanges(const RollupState& state, std::uint8_t slot)
      : zones_(state.zones), slot_(slot), rows_(all_rollups().size()) {}

  [[nodiscard]] const base::ZoneHistory& zones() const { return zones_; }

  // Counts a rating. "first_at" is the time at which the user first cast the rating, if this was
  // before the rating's time.
  void add(const model::RatingKey& key, const model::OwnRating& rating,
           base::Time first_at = base::Time::max());
  // Stops counting a rating that is replaced by another rating with the same time or a later time.
  void subtract(const model::RatingKey& key, const model::OwnRating& rating) {
    count(key, rating, base::Time::max(), -1);
  }
  // Stops counting a rating that is not replaced. write() looks up the new time of the last rating
  // in the votes and aggregates.
  void withdraw(const model::RatingKey& key, const model::OwnRating& rating);
  // Do the same for aggregates. If an aggregate is both added and withdrawn, nothing changes.
  void add(const Aggregate& aggregate);
  void withdraw(const Aggregate& aggregate);

  // Counts a rating only in the given part of the rollups. It is for callers that count the other
  // part elsewhere.
  void add_part(Contribution::Part part, const model::RatingKey& key,
                const model::OwnRating& rating, base::Time first_at = base::Time::max());

  // Sets the last active day that is stored in the locked row of "voter".
  void set_last_day(model::VoterId voter, base::Day day) { last_days_[voter] = day; }
  // Sets the last day that was inserted into the row of "voter", who was never active before.
  // write() changes the row only if the voter's last day becomes a different day.
  void set_stored_day(model::VoterId voter, base::Day day) { stored_days_[voter] = day; }
  // REQUIRES: set_last_day() was called for "voter".
  [[nodiscard]] base::Day last_day(model::VoterId voter) const { return last_days_.at(voter); }
  // If "day" is later than the last day of "voter", counts the activity on this day and returns
  // true. Otherwise, returns false. REQUIRES: same as for last_day().
  bool note_activity(model::VoterId voter, base::Day day);
  // Replaces the voter's active days "before" with the active days "after". The latest day in
  // "after" becomes the last day.
  using Days = std::vector<base::Day>;  // sorted, without duplicates
  void replace_activity(model::VoterId voter, const Days& before, const Days& after);
  // Stops counting the active days of a voter who has no votes. write() deletes the voter's rows.
  void remove_voter(model::VoterId voter, const Days& days);

  // Writes all changes. First writes the last days that were replaced. If a last day changes, the
  // number of ratings on the last day is reset. Next, deletes the removed voters' rows. MySQL may
  // scan all voters to find these rows, and may wait for votes that in turn wait for rollups. So
  // this step comes before the rollups. Finally, locks and changes the rows in all_rollups(), in
  // their order. REQUIRES: the votes and aggregates have already been written.
  void write(db::Connection& connection) const;

  // Deletes the rows for users without counted ratings. The users' rows in user_daily have sums of
  // 0 now, but cannot be searched by user. So callers must call delete_empty_days() after the last
  // slice. REQUIRES: write() was called, which deletes the rows of removed voters.
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
  std::map<model::VoterId, base::Day> stored_days_;  // the stored last days of new voters
  std::set<model::VoterId> replaced_;                // voters whose last days were replaced
  std::set<model::VoterId> removed_;                 // voters whose rows are deleted
};

// Deletes the rows for users and days whose sums are 0, in short transactions. Reads the whole
// table. Errors: same as db::Connection.
void delete_empty_days(db::Connection& connection);

}  // namespace rollups
