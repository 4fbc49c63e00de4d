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

// The key of totals whose newest rating is withdrawn. The type WithdrawnTimes contains the times of
// the withdrawn ratings.
struct TotalsKey {
  model::Object object;
  model::Category category;
  auto operator<=>(const TotalsKey&) const = default;
};
using WithdrawnTimes = std::map<TotalsKey, base::Time>;

// Finds and stores the time of the last rating for all totals in "withdrawn". Does not change a
// stored time that is later than the time of the withdrawn rating. The caller must already have
// written the votes, aggregates and sums. Throws the same exceptions as db::Connection.
void look_up_last_rated_at(db::Connection& connection, const WithdrawnTimes& withdrawn);

// Collects the changes that one transaction makes to the rollups, and then writes the changes in
// key order. Each row is changed only once. The class is not thread-safe.
//
// An activity pair consists of a day on which a voter was active and the voter's previous active
// day, or kNeverActive if the voter was never active before. The table ratingd_reach contains the
// number of voters for each activity pair. So the number of distinct voters in a period equals the
// number of voters in all activity pairs that begin before the period and end in the period.
class RollupChanges {
 public:
  // "slot" selects the writer's copy of the rows that every vote changes. The functions that use
  // the database throw the same exceptions as db::Connection.
  RollupChanges(const RollupState& state, std::uint8_t slot)
      : zones_(state.zones), slot_(slot), rows_(all_rollups().size()) {}

  [[nodiscard]] const base::ZoneHistory& zones() const { return zones_; }

  // Counts a rating. "first_at" is the time of the user's first vote with the key "key", if the
  // first vote is older than the rating.
  void add(const model::RatingKey& key, const model::OwnRating& rating,
           base::Time first_at = base::Time::max());
  // Stops counting a rating that an equally old or newer rating replaces.
  void subtract(const model::RatingKey& key, const model::OwnRating& rating) {
    count(key, rating, base::Time::max(), -1);
  }
  // Stops counting a rating that is not replaced. The function write() finds the new time of the
  // last rating in the votes and aggregates.
  void withdraw(const model::RatingKey& key, const model::OwnRating& rating);
  // Counts an aggregate, or stops counting an aggregate. If an aggregate is both added and
  // withdrawn, nothing changes.
  void add(const Aggregate& aggregate);
  void withdraw(const Aggregate& aggregate);

  // Counts a rating only in some of the rollups, for callers that change the other rollups
  // separately.
  void add_part(Contribution::Part part, const model::RatingKey& key,
                const model::OwnRating& rating, base::Time first_at = base::Time::max());

  // Sets the last active day that is stored in the locked row of "voter".
  void set_last_day(model::VoterId voter, base::Day day) { last_days_[voter] = day; }
  // Sets the last active day that was inserted into the row of a new voter. The function write()
  // changes the row only if the voter's last active day changes again.
  void set_stored_day(model::VoterId voter, base::Day day) { stored_days_[voter] = day; }
  // Returns the last active day of a voter for whom set_last_day() was called.
  [[nodiscard]] base::Day last_day(model::VoterId voter) const { return last_days_.at(voter); }
  // Counts the activity on "day" and returns true if "day" is later than the voter's last active
  // day. Returns false for an earlier day or the last active day. The caller must have called
  // set_last_day() for the voter.
  bool note_activity(model::VoterId voter, base::Day day);
  // Replaces the voter's active days "before" with the active days "after". The latest day in
  // "after" becomes the voter's last active day.
  using Days = std::vector<base::Day>;  // sorted, without duplicates
  void replace_activity(model::VoterId voter, const Days& before, const Days& after);
  // Stops counting the active days of a voter who has no votes. The function write() deletes the
  // voter's rows.
  void remove_voter(model::VoterId voter, const Days& days);

  // Writes all changes. First, writes the last active days that were replaced. If the last active
  // day of a voter changes, the number of ratings on this day is reset. Next, deletes the removed
  // voters' rows. Rollups must be locked after this deletion, because MySQL may scan all voters to
  // find the rows, and may wait for votes that in turn wait for rollups. Finally, locks and changes
  // the rows of the rollups, in the order of all_rollups(). The caller must already have written
  // the votes and aggregates.
  void write(db::Connection& connection) const;

  // Deletes the rows of users who have no counted ratings. Does not delete the users' rows in the
  // table user_daily, which have sums of 0 but cannot be searched by user. So callers must call
  // delete_empty_days() after the last slice. The function write() must be called first, because it
  // deletes the rows of removed voters.
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

// Deletes all rows in the table user_daily whose sums are 0, in short transactions. Reads the whole
// table user_daily. Throws the same exceptions as db::Connection.
void delete_empty_days(db::Connection& connection);

}  // namespace rollups
