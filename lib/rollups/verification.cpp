#include "rollups/verification.h"

#include <map>
#include <string_view>
#include <utility>

#include "base/timestamp.h"
#include "rollups/repair.h"
#include "rollups/rollup_state.h"

namespace rollups {
namespace {

// Collects the rows that do not match the votes, up to kMaxMismatches for each rollup.
class MismatchList {
 public:
  bool is_full(const std::string& rollup) { return listed_[rollup] >= kMaxMismatches; }
  void add(const std::string& rollup, std::string_view part, std::string row) {
    if (++listed_[rollup + std::string(part)] > kMaxMismatches) return;
    mismatches_.push_back({rollup + std::string(part), std::move(row)});
  }
  void add(const Difference& difference) {
    const Rollup& rollup = difference.rollup;
    const std::vector<std::int64_t> none = rollup.sums_in({});
    for (const auto& [key, sums] : difference.rows) {
      const bool is_time_only = rollup.sums_in(sums) == none;
      add(rollup.table(), is_time_only ? ".last_rated_at" : "", to_text(rollup.key(), key));
    }
  }
  std::vector<RollupMismatch> take() { return std::move(mismatches_); }

 private:
  std::map<std::string, int> listed_;
  std::vector<RollupMismatch> mismatches_;
};

void find_later_votes(db::Connection& connection, const base::ZoneHistory& zones,
                      const DoubtfulVoter& doubtful, MismatchList& list) {
  const auto& [voter, last_day] = doubtful;
  db::Rows row = connection.query(
      "SELECT category, rated_at,"
      " (SELECT last_day FROM {prefix}ratingd_voters WHERE voter = ?)"
      " FROM {prefix}ratingd_votes FORCE INDEX (by_voter)"
      " WHERE voter = ? AND rated_at >= ? AND held = 0 ORDER BY rated_at DESC LIMIT ?",
      voter, voter, zones.start_of(last_day.value_or(kNeverActive) + std::chrono::days(1)),
      std::int64_t{kMaxMismatches});
  while (row.next()) {
    // The last active day may have been updated after find_doubtful_voters() read it, for example
    // because a held vote was released.
    if (!row.is_null(3) && zones.day_of(row.time(2)) <= row.day(3)) continue;
    const auto category = static_cast<model::Category>(row.integer(1));
    list.add("voters", "",
             std::to_string(voter) + " " + std::string(model::name_of(category)) + " " +
                 base::to_date(zones.day_of(row.time(2))));
  }
}

}  // namespace

std::vector<RollupMismatch> find_mismatches(db::Connection& connection,
                                            const VerifyProgress& progress) {
  const RollupState before = read_state(connection);
  MismatchList list;
  find_differences(connection, progress,
                   {[&](const Difference& difference) { list.add(difference); },
                    [&](const Rollup& rollup) { return !list.is_full(rollup.table()); }});
  find_doubtful_voters(connection, before.zones, [&](const auto& voters) {
    for (const DoubtfulVoter& voter : voters) {
      if (!list.is_full("voters")) find_later_votes(connection, before.zones, voter, list);
    }
  });
  for (const auto& [day, voters] : imbalance_of(read_activity(connection))) {
    list.add("reach", "", base::to_date(day));
  }
  if (read_state(connection).rebuilds != before.rebuilds) {
    throw db::Conflict(0, "version 0.3 has replaced the sums meanwhile. Repeat the command");
  }
  return list.take();
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
