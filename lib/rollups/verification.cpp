#include "rollups/verification.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/crypto.h"
#include "base/timestamp.h"
#include "db/transaction.h"
#include "rollups/aggregate.h"
#include "rollups/checksum.h"
#include "rollups/rollup.h"
#include "rollups/rollup_state.h"
#include "rollups/table_scan.h"
#include "store/rating_key_sql.h"

namespace rollups {
namespace {

using model::VoterId;

constexpr std::int64_t kPage = 20'000;  // rows
constexpr std::uint64_t kUsersOfRange = 1024;

// The rows of a rollup that are compared together have this value of their key in common: a day,
// the range of a user, or an object.
std::size_t place_of_group(const Rollup& rollup) {
  const auto day = std::ranges::find(rollup.key(), KeyColumn::day);
  assert(day != rollup.key().end() || rollup.key().front() == KeyColumn::user_id ||
         rollup.key().front() == KeyColumn::object_id);
  return day == rollup.key().end() ? 0 : static_cast<std::size_t>(day - rollup.key().begin());
}

std::int64_t group_of(const Rollup& rollup, const Key& key) {
  const std::size_t place = place_of_group(rollup);
  const std::int64_t number = key[place].number;
  if (rollup.key()[place] != KeyColumn::user_id) return number;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) / kUsersOfRange);
}

// Where the rows of a group are.
struct Conditions {
  std::string votes, aggregates, rollup;
};

Conditions conditions_of(const Rollup& rollup, std::int64_t group, const base::Zone& zone) {
  const KeyColumn column = rollup.key()[place_of_group(rollup)];
  if (column == KeyColumn::day) {
    const base::Day day{std::chrono::days(group)};
    const std::string of_day =
        " WHERE category IN (0, 1, 2) AND day = '" + base::to_date(day) + "'";
    return {" FORCE INDEX (by_time) WHERE rated_at >= '" + base::to_datetime(zone.start_of(day)) +
                "' AND rated_at < '" +
                base::to_datetime(zone.start_of(day + std::chrono::days(1))) + "'",
            of_day, of_day};
  }
  if (column == KeyColumn::user_id) {
    // Both ends are in the range: behind the greatest id there is no number.
    const std::uint64_t first = static_cast<std::uint64_t>(group) * kUsersOfRange;
    const std::string between =
        " BETWEEN " + std::to_string(first) + " AND " + std::to_string(first + (kUsersOfRange - 1));
    const auto range = [&](const char* user) { return std::string(" WHERE ") + user + between; };
    return {" FORCE INDEX (by_voter)" + range("voter"), " WHERE 1 = 0", range("user_id")};
  }
  const std::string of_object = " FORCE INDEX (PRIMARY) WHERE object_id = " +
                                std::to_string(static_cast<std::uint64_t>(group));
  return {of_object, of_object, of_object};
}

// The rows of "noted" that do not match "counted".
std::vector<RollupMismatch> mismatches_between(const Rollup& rollup, const Rollup::Rows& counted,
                                               const Rollup::Rows& noted) {
  const auto last_of = [](const Measures& measures) {
    return measures[static_cast<std::size_t>(Measure::last_counted_at)];
  };
  static const std::int64_t kNever = last_of(contribution_of_change({}, {}).measures);
  Rollup::Rows all = noted;
  all.insert(counted.begin(), counted.end());
  std::vector<RollupMismatch> found;
  for (const auto& [key, any] : all) {
    const auto sums = counted.find(key);
    const auto row = noted.find(key);
    const bool is_counted = sums != counted.end();
    const bool is_noted = row != noted.end();
    if (rollup.sums_in(is_counted ? sums->second : Measures{}) !=
        rollup.sums_in(is_noted ? row->second : Measures{})) {
      found.push_back({rollup.table(), to_text(rollup.key(), key)});
    }
    if (!is_counted || !is_noted || !rollup.has(Measure::last_counted_at)) continue;
    const std::int64_t last = last_of(sums->second);
    if (last != kNever && last != last_of(row->second)) {
      found.push_back({rollup.table() + ".last_rated_at", to_text(rollup.key(), key)});
    }
  }
  return found;
}

class Verification {
 public:
  Verification(db::Connection& connection, const VerifyProgress& progress)
      : connection_(connection),
        progress_(progress),
        zone_(stored_zone(connection)),
        seed_(base::random_u64()) {
    for (const char* table : {"votes", "totals", "daily", "user_daily", "users", "voters"}) {
      all_ += estimated_rows(connection, table);
    }
    for (const Rollup& rollup : all_rollups()) {
      if (&rollup != &totals_ && rollup.table() != "reach") others_.push_back({&rollup, {}});
    }
  }

  std::vector<RollupMismatch> run() {
    scan_objects();
    for (Difference& other : others_) scan(other);
    for (const auto& [rollup, groups] : others_) {
      for (const auto& [group, difference] : groups) {
        if (!difference.is_zero()) compare(*rollup, group);
      }
    }
    check_voters();
    check_activity_pairs();
    return std::move(mismatches_);
  }

 private:
  // A rollup, and by group the sums of votes and aggregates minus those of the rollup.
  struct Difference {
    const Rollup* rollup;
    std::unordered_map<std::int64_t, Checksum> groups;
  };

  void add(const std::vector<RollupMismatch>& more) {
    for (const RollupMismatch& mismatch : more) {
      if (++listed_[mismatch.rollup] <= kMaxMismatches) mismatches_.push_back(mismatch);
    }
  }
  // Once enough rows of a rollup are listed, no more are searched.
  bool is_wanted(const std::string& rollup) { return listed_[rollup] < kMaxMismatches; }

  void advance() {
    if (++done_ % kPage == 0) progress_(std::min(done_, all_), std::max<std::int64_t>(all_, 1));
  }

  static std::string vote_columns() { return "value, rated_at"; }
  [[nodiscard]] Contribution vote_in(const db::Rows& row) const {
    return contribution_of(store::key_in(row), store::own_rating_in(row), zone_, +1);
  }
  static Contribution aggregate_of(const db::Rows& row) {
    return contribution_of(aggregate_in(row), +1);
  }

  TableScan scan_of(const TableScan::Table& table) { return {connection_, table, kPage}; }

  // Reads the votes, the aggregates and the totals, all in the order of objects.
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
      const auto is_at_object = [&](const TableScan& scan) { return object_of(scan) == object; };
      Rollup::Rows counted;
      Rollup::Rows noted;
      for (; is_at_object(votes); votes.next()) count(vote_in(votes.row()), counted);
      for (; is_at_object(aggregates); aggregates.next()) {
        count(aggregate_of(aggregates.row()), counted);
      }
      for (; is_at_object(rows); rows.next()) {
        note(totals_, rows.row(), noted);
        advance();
      }
      if (!mismatches_between(totals_, counted, noted).empty()) {
        compare(totals_, static_cast<std::int64_t>(*object));
      }
    }
  }

  // Nothing at the end: each number is the id of an object that may exist.
  static std::optional<std::uint64_t> object_of(const TableScan& scan) {
    if (scan.is_at_end()) return std::nullopt;
    return static_cast<std::uint64_t>(scan.key().front().number);
  }

  // Returns the least object at which a scan is.
  static std::optional<std::uint64_t> first_object(std::initializer_list<const TableScan*> scans) {
    std::optional<std::uint64_t> first;
    for (const TableScan* scan : scans) {
      const auto object = object_of(*scan);
      if (object && (!first || *object < *first)) first = object;
    }
    return first;
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

  static void note(const Rollup& rollup, const db::Rows& row, Rollup::Rows& noted) {
    auto [key, measures] = rollup.row_in(row);
    rollup.add(std::move(key), measures, noted);
  }

  // Subtracts the rows of a rollup.
  void scan(Difference& other) {
    const Rollup& rollup = *other.rollup;
    TableScan rows = scan_of(table_of(rollup));
    while (rows.next()) {
      const auto [key, measures] = rollup.row_in(rows.row());
      std::vector<std::int64_t> sums = rollup.sums_in(measures);
      for (std::int64_t& sum : sums) sum = -sum;
      other.groups[group_of(rollup, key)].count(hash_of(key), sums);
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

  // Compares a group row by row, in one snapshot: what was read above may have changed meanwhile.
  void compare(const Rollup& rollup, std::int64_t group) {
    if (!is_wanted(rollup.table())) return;
    const Conditions of_group = conditions_of(rollup, group, zone_);
    Rollup::Rows counted;
    Rollup::Rows noted;
    db::in_snapshot(connection_, [&] {
      counted.clear();
      noted.clear();
      read("object_id, object_type, category, voter, " + vote_columns(), "votes",
           of_group.votes + " AND held = 0",
           [&](const db::Rows& row) { rollup.add(vote_in(row), counted); });
      read(aggregates_table().columns(), "balances", of_group.aggregates,
           [&](const db::Rows& row) { rollup.add(aggregate_of(row), counted); });
      read(rollup.columns(), rollup.table(), of_group.rollup,
           [&](const db::Rows& row) { note(rollup, row, noted); });
    });
    add(mismatches_between(rollup, counted, noted));
  }

  template <typename Use>
  void read(const std::string& columns, const std::string& table, const std::string& condition,
            const Use& use) {
    db::Rows row =
        connection_.stream("SELECT " + columns + " FROM {prefix}ratingd_" + table + condition);
    while (row.next()) use(row);
  }

  // Compares the last days of voters with the times of their votes, which an index has.
  void check_voters() {
    constexpr VoterId kLast = std::numeric_limits<VoterId>::max();
    for (VoterId after = 0; after < kLast;) {
      std::map<VoterId, base::Day> last_days;
      std::vector<RollupMismatch> found;
      VoterId end = kLast;
      db::in_snapshot(connection_, [&] {
        last_days = read_last_days(after);
        end = std::ssize(last_days) == kPage ? last_days.rbegin()->first : kLast;
        found.clear();
        find_wrong_last_days(after, end, last_days, found);
      });
      add(found);
      for (std::size_t i = 0; i < last_days.size(); ++i) advance();
      after = end;
    }
  }

  std::map<VoterId, base::Day> read_last_days(VoterId after) {
    std::map<VoterId, base::Day> last_days;
    db::Rows row = connection_.query(
        "SELECT voter, last_day FROM {prefix}ratingd_voters FORCE INDEX (PRIMARY)"
        " WHERE voter > ? ORDER BY voter LIMIT ?",
        after, kPage);
    while (row.next()) {
      last_days.emplace_hint(last_days.end(), row.unsigned_integer(1), row.day(2));
    }
    return last_days;
  }

  // Of voters after "after", up to "end". The index does not have which votes are held.
  void find_wrong_last_days(VoterId after, VoterId end,
                            const std::map<VoterId, base::Day>& last_days,
                            std::vector<RollupMismatch>& found) {
    db::Rows row = connection_.query(
        "SELECT voter, MAX(rated_at) FROM {prefix}ratingd_votes FORCE INDEX (by_voter)"
        " WHERE voter > ? AND voter <= ? GROUP BY voter",
        after, end);
    while (row.next()) {
      const VoterId voter = row.unsigned_integer(1);
      const auto known = last_days.find(voter);
      const base::Day last_day = known == last_days.end() ? kNeverActive : known->second;
      const bool is_late = zone_.day_of(row.time(2)) > last_day;
      if (is_late && is_wanted("voters")) find_later_votes(voter, last_day, found);
    }
  }

  void find_later_votes(VoterId voter, base::Day last_day, std::vector<RollupMismatch>& found) {
    db::Rows row = connection_.query(
        "SELECT category, rated_at FROM {prefix}ratingd_votes FORCE INDEX (by_voter)"
        " WHERE voter = ? AND rated_at >= ? AND held = 0 ORDER BY rated_at DESC LIMIT ?",
        voter, zone_.start_of(last_day + std::chrono::days(1)), std::int64_t{kMaxMismatches});
    while (row.next()) {
      const auto category = static_cast<model::Category>(row.integer(1));
      found.push_back({"voters", std::to_string(voter) + " " +
                                     std::string(model::name_of(category)) + " " +
                                     base::to_date(zone_.day_of(row.time(2)))});
    }
  }

  // A voter who was active on a day has either a later activity pair or this day as the last one.
  void check_activity_pairs() {
    db::Rows row = connection_.query(
        "SELECT day FROM (SELECT day, SUM(voters) AS voters FROM {prefix}ratingd_reach GROUP BY day"
        " UNION ALL SELECT previous_day, -SUM(voters) FROM {prefix}ratingd_reach"
        " GROUP BY previous_day UNION ALL SELECT last_day, -COUNT(*) FROM {prefix}ratingd_voters"
        " GROUP BY last_day) AS difference WHERE day > '1000-01-01' GROUP BY day"
        " HAVING SUM(voters) <> 0 LIMIT ?",
        kMaxMismatches);
    while (row.next()) add({{"reach", base::to_date(row.day(1))}});
  }

  db::Connection& connection_;
  const VerifyProgress& progress_;
  const base::Zone zone_;
  const std::uint64_t seed_;  // of all checksums
  const Rollup& totals_ = totals_rollup();
  std::vector<Difference> others_;  // that have another order than the votes
  std::map<std::string, int> listed_;
  std::vector<RollupMismatch> mismatches_;
  std::int64_t done_ = 0, all_ = 0;  // rows
};

}  // namespace

std::vector<RollupMismatch> find_mismatches(db::Connection& connection,
                                            const VerifyProgress& progress) {
  const std::string zone = stored_zone(connection).name();
  auto mismatches = Verification(connection, progress).run();
  if (stored_zone(connection).name() != zone) {
    throw db::Conflict(0, "the zone of the rollups has changed meanwhile; try again");
  }
  return mismatches;
}

std::int64_t estimated_rows(db::Connection& connection, const std::string& table) {
  return connection
      .query(
          "SELECT COALESCE(table_rows, 0) FROM information_schema.tables"
          " WHERE table_schema = DATABASE() AND table_name = ?",
          connection.table_prefix() + "ratingd_" + table)
      .number();
}

RowEstimates estimate_rows(db::Connection& connection) {
  const auto rows_in = [&](const char* table) { return estimated_rows(connection, table); };
  return {rows_in("votes"), rows_in("voters"), rows_in("totals"),
          connection.query("SELECT COUNT(*) FROM {prefix}ratingd_held").number()};
}

}  // namespace rollups
