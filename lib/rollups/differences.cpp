#include "rollups/differences.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/crypto.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "db/transaction.h"
#include "rollups/aggregate.h"
#include "rollups/rollup_state.h"
#include "rollups/table_scan.h"
#include "rollups/verification.h"
#include "store/rating_key_sql.h"

namespace rollups {
namespace {

using model::VoterId;

constexpr std::int64_t kPageOfScan = 20'000;  // rows
constexpr std::uint64_t kUsersOfRange = 1024;
constexpr std::size_t kObjectsAtOnce = 256;  // the number of objects in a second comparison

// A number that identifies a group of rows: days since 1970, or the index of a range of user ids.
using Group = std::uint64_t;

// Returns the position of the key column that determines a row's group.
std::size_t place_of_group(const Rollup& rollup) {
  const auto day = std::ranges::find(rollup.key(), KeyColumn::day);
  assert(day != rollup.key().end() || rollup.key().front() == KeyColumn::user_id);
  return day == rollup.key().end() ? 0 : static_cast<std::size_t>(day - rollup.key().begin());
}

Group group_of(const Rollup& rollup, const Key& key) {
  const std::size_t place = place_of_group(rollup);
  const auto number = static_cast<std::uint64_t>(key[place].number);
  return rollup.key()[place] == KeyColumn::user_id ? number / kUsersOfRange : number;
}

// The SQL conditions that select the votes, the aggregates and the rollup rows of a group.
struct Conditions {
  std::string votes, aggregates, rollup;
};

Conditions conditions_of_day(base::Day day, const base::ZoneHistory& zones) {
  const std::string of_day = " WHERE category IN (0, 1, 2) AND day = '" + base::to_date(day) + "'";
  return {" FORCE INDEX (by_time) WHERE rated_at >= '" + base::to_datetime(zones.start_of(day)) +
              "' AND rated_at < '" + base::to_datetime(zones.start_of(day + std::chrono::days(1))) +
              "'",
          of_day, of_day};
}

Conditions conditions_of_users(Group group) {
  const auto range = [&](const std::string& user) {
    return " WHERE " + user + " BETWEEN " + std::to_string(group * kUsersOfRange) + " AND " +
           std::to_string(group * kUsersOfRange + kUsersOfRange - 1);
  };
  return {" FORCE INDEX (by_voter)" + range("voter"), " WHERE 1 = 0", range("user_id")};
}

Conditions conditions_of_objects(const std::vector<std::uint64_t>& objects) {
  const std::string ids =
      base::joined(objects, ",", [](std::uint64_t object) { return std::to_string(object); });
  const std::string of_objects = " FORCE INDEX (PRIMARY) WHERE object_id IN (" + ids + ")";
  return {of_objects, of_objects, of_objects};
}

std::int64_t last_of(const Measures& measures) {
  return measures[static_cast<std::size_t>(Measure::last_counted_at)];
}

// Returns whether "counted" and "stored" contain different times of the last rating. Returns false
// if the rollup does not store the time of the last rating, or if "counted" does not contain this
// time.
bool has_other_time(const Rollup& rollup, const Measures& counted, const Measures& stored) {
  static const std::int64_t kNever = last_of(contribution_of_change({}, {}).measures);
  return rollup.has(Measure::last_counted_at) && last_of(counted) != kNever &&
         last_of(counted) != last_of(stored);
}

Difference difference_between(const Rollup& rollup, const Rollup::Rows& counted,
                              const Rollup::Rows& stored) {
  const std::vector<std::int64_t> none = rollup.sums_in({});
  Difference difference{rollup, {}, {}};
  const auto add = [&](const Key& key, const Measures& more, bool has_other_times) {
    if (rollup.sums_in(more) == none && !has_other_times) return false;
    difference.rows.emplace(key, more);
    return true;
  };
  for (const auto& [key, sums] : counted) {
    const auto row = stored.find(key);
    if (row == stored.end()) {
      if (add(key, sums, false)) difference.missing.insert(key);
    } else {
      add(key, rollup.difference(sums, row->second), has_other_time(rollup, sums, row->second));
    }
  }
  for (const auto& [key, row] : stored) {
    if (counted.contains(key)) continue;
    const Measures zeros = rollup.difference(row, row);  // zeros with the row's timestamps
    add(key, rollup.difference(zeros, row), false);
  }
  return difference;
}

class Search {
 public:
  Search(db::Connection& connection, const VerifyProgress& progress, const DifferenceUse& use)
      : connection_(connection),
        progress_(progress),
        use_(use),
        zones_(stored_zones(connection)),
        seed_(base::random_u64()) {
    for (const char* table : {"votes", "totals", "daily", "user_daily", "users"}) {
      all_ += estimated_rows(connection, table);
    }
    for (const Rollup& rollup : all_rollups()) {
      if (&rollup != &totals_ && rollup.table() != "reach") others_.push_back({&rollup, {}});
    }
  }

  void run() {
    scan_objects();
    for (Sums& other : others_) scan(other);
    for (const auto& [rollup, groups] : others_) {
      for (const auto& [group, sums] : groups) {
        if (!sums.is_zero()) compare(*rollup, conditions_of(*rollup, group));
      }
    }
  }

 private:
  // One checksum for each group of rows in a rollup. A checksum adds the sums of the votes and
  // aggregates, and subtracts the sums in the rollup, so it is zero if the sums match.
  struct Sums {
    const Rollup* rollup;
    std::unordered_map<Group, Checksum> groups;
  };

  void advance() {
    if (++done_ % kPageOfScan == 0) {
      progress_(std::min(done_, all_), std::max<std::int64_t>(all_, 1));
    }
  }

  static std::string vote_columns() { return "value, rated_at, created_at"; }
  [[nodiscard]] Contribution vote_in(const db::Rows& row) const {
    return contribution_of(store::key_in(row), store::own_rating_in(row), zones_, +1, row.time(7));
  }
  static Contribution aggregate_of(const db::Rows& row) {
    return contribution_of(aggregate_in(row), +1);
  }

  TableScan scan_of(const TableScan::Table& table) { return {connection_, table, kPageOfScan}; }

  // Scans the tables of votes, aggregates and totals together, in the order of object ids.
  void scan_objects() {
    using enum KeyColumn;
    TableScan votes = scan_of({"{prefix}ratingd_votes",
                               {object_id, object_type, category, voter},
                               vote_columns(),
                               "held = 0"});
    TableScan aggregates = scan_of(table_of(aggregates_table()));
    TableScan rows = scan_of(table_of(totals_));
    for (TableScan* scan : {&votes, &aggregates, &rows}) scan->next();
    while (const auto object = first_object({&votes, &aggregates, &rows})) {
      const auto is_of_object = [&](const TableScan& scan) { return object_of(scan) == object; };
      Rollup::Rows counted;
      Rollup::Rows stored;
      for (; is_of_object(votes); votes.next()) count(vote_in(votes.row()), counted);
      for (; is_of_object(aggregates); aggregates.next()) {
        count(aggregate_of(aggregates.row()), counted);
      }
      for (; is_of_object(rows); rows.next()) {
        note(totals_, rows.row(), stored);
        advance();
      }
      if (difference_between(totals_, counted, stored).rows.empty()) continue;
      differing_objects_.push_back(*object);
      if (differing_objects_.size() == kObjectsAtOnce) compare_objects();
    }
    compare_objects();
  }

  // Returns the object id in the scan's current row, or nothing if the scan is at the end of the
  // table.
  static std::optional<std::uint64_t> object_of(const TableScan& scan) {
    if (scan.is_at_end()) return std::nullopt;
    return static_cast<std::uint64_t>(scan.key().front().number);
  }

  static std::optional<std::uint64_t> first_object(std::initializer_list<const TableScan*> scans) {
    std::optional<std::uint64_t> first;
    for (const TableScan* scan : scans) {
      const auto object = object_of(*scan);
      if (object && (!first || *object < *first)) first = object;
    }
    return first;
  }

  void compare_objects() {
    if (differing_objects_.empty()) return;
    compare(totals_, conditions_of_objects(differing_objects_));
    differing_objects_.clear();
  }

  void count(const Contribution& contribution, Rollup::Rows& counted) {
    totals_.add(contribution, counted);
    for (auto& [rollup, groups] : others_) {
      if (!rollup->counts(contribution)) continue;
      const Key key = rollup->key_of(contribution);
      groups[group_of(*rollup, key)].count(hash_of(key), rollup->sums_in(contribution.measures));
    }
    advance();
  }

  static void note(const Rollup& rollup, const db::Rows& row, Rollup::Rows& stored) {
    auto [key, measures] = rollup.row_in(row);
    rollup.add(std::move(key), measures, stored);
  }

  // Subtracts all stored rows of the rollup from the rollup's checksums.
  void scan(Sums& other) {
    const Rollup& rollup = *other.rollup;
    TableScan rows = scan_of(table_of(rollup));
    while (rows.next()) {
      const auto [key, measures] = rollup.row_in(rows.row());
      const Measures negative = rollup.difference({}, measures);
      other.groups[group_of(rollup, key)].count(hash_of(key), rollup.sums_in(negative));
      advance();
    }
  }

  [[nodiscard]] Checksum::Key hash_of(const Key& key) const {
    Checksum::Key hash(seed_);
    for (const auto& [number, text] : key) {
      text.empty() ? hash.add(static_cast<std::uint64_t>(number)) : hash.add(text);
    }
    return hash;
  }

  [[nodiscard]] Conditions conditions_of(const Rollup& rollup, Group group) const {
    if (rollup.key()[place_of_group(rollup)] == KeyColumn::user_id) {
      return conditions_of_users(group);
    }
    const auto day = static_cast<int>(static_cast<std::int64_t>(group));
    return conditions_of_day(base::Day{std::chrono::days(day)}, zones_);
  }

  // Compares the group's rows individually in one database snapshot, because the rows may have
  // changed since the checksums were computed.
  void compare(const Rollup& rollup, const Conditions& where) {
    if (!use_.is_wanted(rollup)) return;
    Rollup::Rows counted;
    Rollup::Rows stored;
    db::in_snapshot(connection_, [&] {
      counted.clear();
      stored.clear();
      read("object_id, object_type, category, voter, " + vote_columns(), "votes",
           where.votes + " AND held = 0",
           [&](const db::Rows& row) { rollup.add(vote_in(row), counted); });
      read(aggregates_table().columns(), "balances", where.aggregates,
           [&](const db::Rows& row) { rollup.add(aggregate_of(row), counted); });
      read(rollup.columns(), rollup.table(), where.rollup,
           [&](const db::Rows& row) { note(rollup, row, stored); });
    });
    const Difference difference = difference_between(rollup, counted, stored);
    if (!difference.rows.empty()) use_.use(difference);
  }

  template <typename Use>
  void read(const std::string& columns, const std::string& table, const std::string& condition,
            const Use& use) {
    db::Rows row =
        connection_.stream("SELECT " + columns + " FROM {prefix}ratingd_" + table + condition);
    while (row.next()) use(row);
  }

  db::Connection& connection_;
  const VerifyProgress& progress_;
  const DifferenceUse& use_;
  const base::ZoneHistory zones_;
  const std::uint64_t seed_;  // the seed for all checksums
  const Rollup& totals_ = totals_rollup();
  std::vector<Sums> others_;  // rollups that are not stored in the order of the votes
  std::vector<std::uint64_t> differing_objects_;
  std::int64_t done_ = 0, all_ = 0;  // the number of rows read so far, and the number of all rows
};

std::map<VoterId, base::Day> read_last_days(db::Connection& connection, VoterId after) {
  std::map<VoterId, base::Day> last_days;
  db::Rows row = connection.query(
      "SELECT voter, last_day FROM {prefix}ratingd_voters FORCE INDEX (PRIMARY)"
      " WHERE voter > ? ORDER BY voter LIMIT ?",
      after, kPageOfScan);
  while (row.next()) {
    last_days.emplace_hint(last_days.end(), row.unsigned_integer(1), row.day(2));
  }
  return last_days;
}

}  // namespace

void find_differences(db::Connection& connection, const VerifyProgress& progress,
                      const DifferenceUse& use) {
  Search(connection, progress, use).run();
}

// The query includes held votes, because its index does not show whether a vote is held.
void find_doubtful_voters(db::Connection& connection, const base::ZoneHistory& zones,
                          const std::function<void(const std::vector<DoubtfulVoter>&)>& use) {
  constexpr VoterId kLast = std::numeric_limits<VoterId>::max();
  for (VoterId after = 0; after < kLast;) {
    VoterId end = kLast;
    std::vector<DoubtfulVoter> doubtful;
    db::in_snapshot(connection, [&] {
      const std::map<VoterId, base::Day> last_days = read_last_days(connection, after);
      end = std::ssize(last_days) == kPageOfScan ? last_days.rbegin()->first : kLast;
      doubtful.clear();
      db::Rows row = connection.query(
          "SELECT voter, MAX(rated_at) FROM {prefix}ratingd_votes FORCE INDEX (by_voter)"
          " WHERE voter > ? AND voter <= ? GROUP BY voter ORDER BY voter LIMIT ?",
          after, end, kPageOfScan);
      for (std::int64_t count = 1; row.next(); ++count) {
        const VoterId voter = row.unsigned_integer(1);
        if (count == kPageOfScan) end = voter;
        const auto known = last_days.find(voter);
        if (known == last_days.end()) {
          doubtful.push_back({voter, std::nullopt});
        } else if (zones.day_of(row.time(2)) > known->second) {
          doubtful.push_back({voter, known->second});
        }
      }
    });
    if (!doubtful.empty()) use(doubtful);
    after = end;
  }
}

}  // namespace rollups
