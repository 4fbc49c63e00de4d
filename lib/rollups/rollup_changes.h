#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/zone_history.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/rollup.h"
#include "rollups/rollup_state.h"

namespace rollups {

// The totals whose newest rating is withdrawn, and the time of that rating.
struct TotalsKey {
  model::Object object;
  model::Category category;
  auto operator<=>(const TotalsKey&) const = default;
};
using WithdrawnTimes = std::map<TotalsKey, base::Time>;

// Looks up the time of the last rating of these totals in the votes and aggregates. Leaves a time
// that is later than the withdrawn rating. REQUIRES: the votes, aggregates and sums are written
// already. Errors: as db::Connection.
void look_up_last_rated_at(db::Connection& connection, const WithdrawnTimes& withdrawn);

// The changes that one transaction makes to the rollups. They are collected first, then written
// with one change per row, in key order. Used by one thread.
//
// An activity pair is a day on which a voter was active, and the last active day before it
// (kNeverActive for the first). The table ratingd_reach counts the voters of each pair; so the
// distinct voters of a period are those whose previous day lies before it.
class RollupChanges {
 public:
  // "slot" selects the writer's copy of the rows that every vote changes.
  RollupChanges(const RollupState& state, std::uint8_t slot)
      : zones_(state.zones), slot_(slot), rows_(all_rollups().size()) {}

  [[nodiscard]] const base::ZoneHistory& zones() const { return zones_; }

  // Counts a rating, which a user first cast at "first_at", unless that was at its time.
  void add(const model::RatingKey& key, const model::OwnRating& rating,
           base::Time first_at = base::Time::max());
  // Stops counting a rating that a rating of the same time or a newer one replaces.
  void subtract(const model::RatingKey& key, const model::OwnRating& rating) {
    count(key, rating, base::Time::max(), -1);
  }
  // Stops counting a rating that is not replaced: write() looks up the new time of the last rating
  // in the votes and aggregates.
  void withdraw(const model::RatingKey& key, const model::OwnRating& rating);
  // The same for aggregates. Adding and withdrawing equal ones has no effect.
  void add(const Aggregate& aggregate);
  void withdraw(const Aggregate& aggregate);

  // Counts a rating in one part only, for callers that count the other part elsewhere.
  void add_part(Contribution::Part part, const model::RatingKey& key,
                const model::OwnRating& rating, base::Time first_at = base::Time::max());

  // The last active day in the locked row of "voter".
  void set_last_day(model::VoterId voter, base::Day day) { last_days_[voter] = day; }
  // The row of "voter", who was never active, was inserted with this last day: write() changes it
  // only if the last day becomes another one.
  void set_stored_day(model::VoterId voter, base::Day day) { stored_days_[voter] = day; }
  // REQUIRES: set_last_day() was called for "voter".
  [[nodiscard]] base::Day last_day(model::VoterId voter) const { return last_days_.at(voter); }
  // Adds the activity of "voter" on "day" if it is later than the last day. Returns whether it is.
  // REQUIRES: as last_day().
  bool note_activity(model::VoterId voter, base::Day day);
  // Replaces the active days "before" of "voter" by "after"; the last of "after" becomes the last
  // day.
  using Days = std::vector<base::Day>;  // sorted, each once
  void replace_activity(model::VoterId voter, const Days& before, const Days& after);
  // Stops counting the active days of a voter without votes, whose rows write() deletes.
  void remove_voter(model::VoterId voter, const Days& days);

  // Writes the replaced last days of voters; if such a day changes, the number of its ratings is
  // reset. Deletes the rows of removed voters: MySQL may scan all voters for them, and wait for
  // votes, which may wait for rollups. Then locks and changes rows of all_rollups(), in their
  // order. REQUIRES: the votes and aggregates are written already.
  void write(db::Connection& connection) const;

  // Deletes the rows of users without counted ratings. Their rows in user_daily, which count
  // nothing now, cannot be found by user: delete_empty_days() is called after the last slice.
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
  std::vector<Rollup::Rows> rows_;  // of all_rollups()
  WithdrawnTimes withdrawn_;
  std::map<model::VoterId, base::Day> last_days_;
  std::map<model::VoterId, base::Day> stored_days_;  // of new voters
  std::set<model::VoterId> replaced_;                // voters whose last days were replaced
  std::set<model::VoterId> removed_;                 // voters whose rows are deleted
};

// Deletes the rows of users and days that count nothing, in short transactions. Reads the table.
void delete_empty_days(db::Connection& connection);

}  // namespace rollups
