#include "rollups/repair.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "db/bulk_statement.h"
#include "db/transaction.h"
#include "rollups/rollup.h"
#include "rollups/rollup_changes.h"
#include "rollups/rollup_state.h"
#include "rollups/writers.h"
#include "store/named_values.h"

namespace rollups {
namespace {

using model::VoterId;

constexpr int kAttemptsOfSlice = 300;

constexpr db::BulkStatement kFindLastTimes(
    {"SELECT voter, MAX(rated_at) FROM {prefix}ratingd_votes FORCE INDEX (by_voter)"
     " WHERE held = 0 AND voter IN (",
     "?", ",", ") GROUP BY voter"});
// The "ratings" column counts a voter's ratings on the last active day, so "ratings" is reset to 0
// when the last active day changes.
constexpr db::BulkStatement kRaiseLastDays(
    {"INSERT INTO {prefix}ratingd_voters (voter, last_day) VALUES ", "(?,?)", ",",
     " ON DUPLICATE KEY UPDATE ratings = CASE WHEN last_day < VALUES(last_day) THEN 0"
     " ELSE ratings END, last_day = GREATEST(last_day, VALUES(last_day))"});

// Returns whether deleting a user also deletes the user's rows in this rollup.
bool is_deleted_with_users(const Rollup& rollup) { return rollup.has(Measure::first_event_at); }

constexpr base::Time kLatest = base::Day(std::chrono::year(9999) / 12 / 31) +
                               std::chrono::hours(24) -
                               // The latest time that the database can store.
                               std::chrono::microseconds(1);

// Returns the keys of "rows", which must be rows of the table of totals.
WithdrawnTimes keys_of_totals(const Rollup::Rows& rows) {
  WithdrawnTimes keys;
  for (const auto& [key, measures] : rows) {
    const model::Object object{static_cast<std::uint64_t>(key[0].number), key[1].text};
    keys[{object, static_cast<model::Category>(key[2].number)}] = kLatest;
  }
  return keys;
}

}  // namespace

Repair::Repair(db::Connection& connection, base::Time now, std::chrono::seconds lock_timeout,
               std::size_t rows_of_slice)
    : connection_(connection),
      now_(now),
      rows_of_slice_(rows_of_slice),
      lease_(lock_repairs(connection, lock_timeout, "Another repair is under way.")) {}

Repair::Result Repair::run(const VerifyProgress& progress) {
  end_old_rebuild(connection_);
  Result result;
  for (int pass = 0; pass < kMostPasses && !result.is_complete; ++pass) {
    const std::int64_t rows = run_pass(progress);
    result.rows += rows;
    result.is_complete = rows == 0;
  }
  lease_.confirm();  // without the lease, the differences that the repair has found may be outdated
  if (result.is_complete) note_repair(connection_);
  return result;
}

// Finds and repairs all differences in one pass. Returns the number of rows written.
std::int64_t Repair::run_pass(const VerifyProgress& progress) {
  written_ = 0;
  find_differences(connection_, progress, {[&](const Difference& difference) { add(difference); }});
  const base::ZoneHistory zones = stored_zones(connection_);
  find_doubtful_voters(connection_, zones, [&](const auto& voters) { raise_last_days(voters); });
  add_pairs();
  return written_;
}

// Runs "work" in a transaction during which no other transaction can change votes or rollups.
template <typename Work>
void Repair::run_slice(const Work& work) {
  const base::Stopwatch stopwatch;
  written_ += db::in_transaction(connection_, kAttemptsOfSlice, [&]() -> std::int64_t {
    static_cast<void>(lock_exclusive(connection_));
    const std::int64_t rows = work();
    if (rows > 0) note_change(connection_);
    return rows;
  });
  std::this_thread::sleep_for(stopwatch.elapsed_exactly());
}

void Repair::add(const Difference& difference) {
  Rollup::Rows slice;
  for (const auto& row : difference.rows) {
    slice.insert(row);
    if (slice.size() < rows_of_slice_) continue;
    add_slice(difference, slice);
    slice.clear();
  }
  if (!slice.empty()) add_slice(difference, slice);
}

// The version of a new row is the current time, which is higher than the version of any old copy in
// a cache.
void Repair::add_slice(const Difference& difference, const Rollup::Rows& rows) {
  const Rollup& rollup = difference.rollup;
  constexpr auto kVersion = static_cast<std::size_t>(Measure::version);
  run_slice([&] {
    const Rollup::Rows stored = rollup.read(connection_, rows);
    Rollup::Rows changed;
    for (const auto& [key, lacking] : rows) {
      const bool was_missing = difference.missing.contains(key);
      const auto row = stored.find(key);
      const bool is_missing = row == stored.end();
      // Do not restore the row of a user who was deleted during the repair.
      if (is_deleted_with_users(rollup) && is_missing != was_missing) continue;
      Measures more = lacking;
      more[kVersion] = was_missing ? now_.time_since_epoch().count() : 1;
      if (!is_missing) rollup.add(key, row->second, changed);
      rollup.add(key, more, changed);
    }
    rollup.replace(connection_, changed);
    if (rollup.has(Measure::last_counted_at)) {
      look_up_last_rated_at(connection_, keys_of_totals(changed));
    }
    return std::ssize(changed);
  });
}

void Repair::raise_last_days(const std::vector<DoubtfulVoter>& voters) {
  for (std::span<const DoubtfulVoter> left = voters; !left.empty();) {
    const auto slice = left.first(std::min(left.size(), rows_of_slice_));
    raise_slice(slice);
    left = left.subspan(slice.size());
  }
}

// Updates the last active days of voters and adds missing rows for voters. A voter needs a row even
// if all of the voter's votes are held (votes/vote_batch.h).
void Repair::raise_slice(std::span<const DoubtfulVoter> voters) {
  run_slice([&] {
    const base::ZoneHistory zones = stored_zones(connection_);
    std::vector<VoterId> keys;
    std::map<VoterId, base::Day> newest;
    for (const auto& [voter, last_day] : voters) keys.push_back(voter);
    kFindLastTimes.query(connection_, keys, [&](const db::Rows& row) {
      newest[row.unsigned_integer(1)] = zones.day_of(row.time(2));
    });
    std::map<VoterId, base::Day> raised;
    for (const auto& [voter, last_day] : voters) {
      const auto found = newest.find(voter);
      const base::Day day = found == newest.end() ? kNeverActive : found->second;
      if (!last_day || day > *last_day) raised[voter] = day;
    }
    kRaiseLastDays.execute(connection_, raised, [](db::Statement& to, const auto& row) {
      to.bind(row.first, row.second);
    });
    return std::ssize(raised);
  });
}

void Repair::add_pairs() {
  const auto& reach = *std::ranges::find(all_rollups(), "reach", &Rollup::table);
  Difference difference{reach, {}, {}};
  for (const auto& [days, voters] : pairs_to_add(read_activity(connection_))) {
    reach.add(contribution_of_pair(days.first, days.second, voters), difference.rows);
  }
  add(difference);
}

// --- Whether a repair is due ---------------------------------------------------------------------

namespace {

constexpr std::string_view kRepaired = "repaired";  // the stored value's name

}  // namespace

// In the ratingd_state table, the "repaired" row has a value of the form "<rebuilds>/<day>".
void note_repair(db::Connection& connection) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_state (name, value) SELECT ?, CONCAT(rebuilds, '/', UTC_DATE())"
      " FROM {prefix}ratingd_rollup_state WHERE id = 1"
      " ON DUPLICATE KEY UPDATE value = VALUES(value)",
      kRepaired);
  // The repair has also corrected the sums that an interrupted deletion of all ratings by version
  // 0.2 left wrong (is_activity_shortened()).
  store::remove_value(connection, "cleaning_all");
}

void require_repair(db::Connection& connection) { store::remove_value(connection, kRepaired); }

// A worker's row in the table of writers contains the last day on which the worker wrote votes, and
// is kept for at least a week after that day (rollups/writers.h).
RepairDue repair_due(db::Connection& connection) {
  db::Rows row = connection.query(
      "SELECT SUBSTRING_INDEX(value, '/', 1) = rebuilds"
      " AND NOT EXISTS (SELECT 1 FROM {prefix}ratingd_writers WHERE writer <> 0 AND program < ?"
      "   AND seen_on >= SUBSTRING_INDEX(value, '/', -1)),"
      " EXISTS (SELECT 1 FROM {prefix}ratingd_writers WHERE writer <> 0 AND program < ?"
      "   AND seen_on >= UTC_DATE())"
      " FROM {prefix}ratingd_rollup_state LEFT JOIN {prefix}ratingd_state ON name = ?"
      " WHERE id = 1",
      kProgram, kProgram, kRepaired);
  if (!row.next()) return RepairDue::no;
  if (!row.is_null(1) && row.integer(1) != 0) return RepairDue::no;
  return row.integer(2) != 0 ? RepairDue::later : RepairDue::now;
}

// --- The activity of voters ----------------------------------------------------------------------

Activity read_activity(db::Connection& connection) {
  Activity activity;
  db::in_snapshot(connection, [&] {
    activity = {};
    db::Rows pair = connection.stream(
        "SELECT day, previous_day, SUM(voters) FROM {prefix}ratingd_reach"
        " GROUP BY day, previous_day");
    while (pair.next()) activity.pairs[{pair.day(1), pair.day(2)}] = pair.integer(3);
    db::Rows last = connection.stream(
        "SELECT last_day, COUNT(*) FROM {prefix}ratingd_voters GROUP BY last_day");
    while (last.next()) activity.last_days[last.day(1)] = last.integer(2);
  });
  return activity;
}

std::map<base::Day, std::int64_t> imbalance_of(const Activity& activity) {
  std::map<base::Day, std::int64_t> imbalance;
  for (const auto& [days, voters] : activity.pairs) {
    imbalance[days.first] += voters;
    imbalance[days.second] -= voters;
  }
  for (const auto& [day, voters] : activity.last_days) imbalance[day] -= voters;
  std::erase_if(imbalance,
                [](const auto& day) { return day.first == kNeverActive || day.second == 0; });
  return imbalance;
}

std::map<Activity::Pair, std::int64_t> pairs_to_add(Activity activity) {
  std::map<base::Day, std::int64_t> imbalance = imbalance_of(activity);
  std::map<Activity::Pair, std::int64_t> added;
  const auto add = [&](base::Day day, base::Day previous_day, std::int64_t voters) {
    activity.pairs[{day, previous_day}] += voters;
    added[{day, previous_day}] += voters;
  };

  // First, remove voters from each activity pair whose later day has a positive imbalance and whose
  // earlier day has a negative imbalance.
  const Activity before = activity;
  for (const auto& [days, voters] : before.pairs) {
    const auto day = imbalance.find(days.first);
    const auto previous_day = imbalance.find(days.second);
    if (day == imbalance.end() || previous_day == imbalance.end()) continue;
    const std::int64_t taken = std::min({voters, day->second, -previous_day->second});
    if (taken <= 0) continue;
    add(days.first, days.second, -taken);
    day->second -= taken;
    previous_day->second += taken;
  }

  // Maps each earlier day with a positive imbalance to the remaining imbalance.
  std::map<base::Day, std::int64_t> left;
  for (const auto& [day, voters] : imbalance) {
    if (voters > 0) left[day] = voters;
    for (std::int64_t lacking = -voters; lacking > 0;) {
      if (left.empty()) {
        add(day, kNeverActive, lacking);
        break;
      }
      const auto latest = std::prev(left.end());
      const std::int64_t taken = std::min(lacking, latest->second);
      add(day, latest->first, taken);
      lacking -= taken;
      if ((latest->second -= taken) == 0) left.erase(latest);
    }
  }

  while (!left.empty()) {
    const auto [day, voters] = *std::prev(left.end());
    left.erase(day);
    std::int64_t surplus = voters;
    const auto first = activity.pairs.lower_bound({day, base::Day::min()});
    for (auto pair = activity.pairs.upper_bound({day, base::Day::max()});
         pair != first && surplus > 0;) {
      --pair;
      const base::Day previous_day = pair->first.second;
      const std::int64_t taken = std::min(surplus, std::max<std::int64_t>(pair->second, 0));
      if (taken == 0) continue;
      add(day, previous_day, -taken);
      surplus -= taken;
      if (previous_day != kNeverActive) left[previous_day] += taken;
    }
    if (surplus > 0) add(day, kNeverActive, -surplus);
  }
  std::erase_if(added, [](const auto& pair) { return pair.second == 0; });
  return added;
}

}  // namespace rollups
