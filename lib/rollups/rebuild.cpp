#include "rollups/rebuild.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "db/bulk_statement.h"
#include "db/transaction.h"
#include "rollups/table_scan.h"
#include "store/rating_key_sql.h"

namespace rollups {
namespace {

using model::Category;
using model::RatingKey;
using model::VoterId;

constexpr std::chrono::milliseconds kTargetTime{80};  // of a slice, for which votes wait
constexpr std::int64_t kLeastSlice = 10;
constexpr std::chrono::milliseconds kPause{20}, kPauseOfSwap{3000};
constexpr int kAttemptsOfSlice = 300;
constexpr std::uint8_t kSlot = 0;
constexpr VoterId kLastVoter = ~VoterId{0};

// The tables that are swapped. The row of rollup_state, the last one, holds the zone.
std::vector<std::string> swapped_tables() {
  std::vector<std::string> tables;
  for (const Rollup& rollup : all_rollups()) tables.push_back(rollup.table());
  tables.insert(tables.end(), {"voters", "rollup_state"});
  return tables;
}

constexpr base::Day kLastDay = std::chrono::year(9999) / std::chrono::December / 31;

Key key_of(const RatingKey& key) {
  return {{static_cast<std::int64_t>(key.object.id)},
          {0, key.object.type},
          {static_cast<std::int64_t>(key.category)},
          {static_cast<std::int64_t>(key.voter)}};
}

// From a row that begins with object_id, object_type, category.
RatingKey position_in(const db::Rows& row) {
  return {{row.unsigned_integer(1), row.text(2)}, static_cast<Category>(row.integer(3)), 0};
}

// Repeats "work" after conflicts. The pause lets transactions run that wait for this session.
template <typename Work>
auto persistently(const Work& work, std::chrono::milliseconds pause = kPause) {
  for (int attempt = 1;; ++attempt) {
    try {
      return work();
    } catch (const db::Conflict&) {
      if (attempt == kAttemptsOfSlice) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

constexpr db::BulkStatement kSaveVoters(
    {"INSERT INTO {prefix}ratingd_voters_new (voter, last_day, last_rated_at, ratings) VALUES ",
     "(?,?,?,?)", ",", " ON DUPLICATE KEY UPDATE voter = VALUES(voter)"});

}  // namespace

RollupRebuild::RollupRebuild(db::Connection& connection, base::Zone zone, std::int64_t first_slice,
                             std::chrono::seconds lock_timeout, Pace pace)
    : connection_(connection),
      zone_(std::move(zone)),
      lease_(lock_rebuilds(connection, lock_timeout, "Another rebuild is under way.")),
      pace_(pace),
      first_slice_(first_slice),
      slice_(first_slice) {
  // This limits how long other statements wait behind the swap of tables, too.
  connection_.execute("SET SESSION lock_wait_timeout = 1");
  const auto rebuild = read_state(connection_).rebuild;
  is_resumed_ = rebuild && rebuild->zone.name() == zone_.name();
}

void RollupRebuild::run(const Progress& progress, const std::function<void()>& on_swapped) {
  if (!is_resumed_) begin();
  const std::int64_t all = std::max<std::int64_t>(count_rows(), 1);
  for (bool is_more = true; is_more;) {
    is_more = add_slice();
    progress(std::min(done_, all), all);
    if (pace_ == Pace::alone) continue;
    const auto elapsed = std::max(slice_time_, std::chrono::milliseconds(1));
    const std::int64_t fitting = slice_ * kTargetTime / elapsed;
    slice_ = std::clamp(std::min(fitting, 2 * slice_), kLeastSlice, kMostSlice);
    // The rows of the next phase take a different time.
    if (has_new_phase_) slice_ = first_slice_;
    std::this_thread::sleep_for(elapsed);
  }
  swap(on_swapped);
}

void RollupRebuild::begin() {
  const auto save = [&](const std::optional<Rebuild>& rebuild) {
    persistently([&] {
      db::Transaction transaction(connection_);
      static_cast<void>(lock_exclusive(connection_));
      save_rebuild(connection_, rebuild);
      transaction.commit();
    });
  };
  save({});  // from now on no transaction writes to the new tables
  empty_new_tables();
  Rebuild rebuild;
  rebuild.zone = zone_;
  save(rebuild);
}

void RollupRebuild::empty_new_tables() {
  persistently([&] {  // a swap has taken it
    lease_.confirm();
    connection_.execute(
        "CREATE TABLE IF NOT EXISTS {prefix}ratingd_rollup_state_new"
        " LIKE {prefix}ratingd_rollup_state");
  });
  for (const std::string& table : swapped_tables()) {
    persistently([&] {
      lease_.confirm();
      connection_.execute("TRUNCATE TABLE {prefix}ratingd_" + table + "_new");
    });
  }
}

// How many rows will be added; votes are added twice.
std::int64_t RollupRebuild::count_rows() {
  return connection_
      .query(
          "SELECT (SELECT COUNT(*) FROM {prefix}ratingd_totals)"
          " + (SELECT COUNT(*) FROM {prefix}ratingd_balances)"
          " + 2 * (SELECT COUNT(*) FROM {prefix}ratingd_votes)")
      .number();
}

// Returns whether there is more to be added. Votes that other nodes of a cluster commit during a
// slice may undo it, so it becomes shorter.
bool RollupRebuild::add_slice() {
  return persistently([&] {
    try {
      const base::Stopwatch stopwatch;
      const bool is_more = try_slice();
      slice_time_ = stopwatch.elapsed();
      return is_more;
    } catch (const db::Conflict&) {
      slice_ = std::max(slice_ / 2, kLeastSlice);
      throw;
    }
  });
}

bool RollupRebuild::try_slice() {
  db::Transaction transaction(connection_);
  const RollupState state = lock_exclusive(connection_);
  if (!state.rebuild) throw std::runtime_error("somebody has ended this rebuild");
  Rebuild next = *state.rebuild;
  if (next.phase == Rebuild::Phase::complete) return false;
  const std::size_t added = add(next);
  has_new_phase_ = added == 0;
  if (has_new_phase_) {
    next.phase = static_cast<Rebuild::Phase>(static_cast<int>(next.phase) + 1);
    next.position = {};
  }
  next.done += static_cast<std::int64_t>(added);
  save_rebuild(connection_, next);
  transaction.commit();
  done_ = next.done;
  return true;
}

std::size_t RollupRebuild::add(Rebuild& next) {
  switch (next.phase) {
    case Rebuild::Phase::totals:
      return add_totals(next);
    case Rebuild::Phase::aggregates:
      return add_aggregates(next);
    case Rebuild::Phase::votes:
      return add_votes(next);
    case Rebuild::Phase::voters:
      return add_voters(next);
    case Rebuild::Phase::complete:
      break;
  }
  return 0;
}

// Adds rows with versions and without sums. Versions must keep growing: otherwise a cache would
// consider the new totals older.
std::size_t RollupRebuild::add_totals(Rebuild& next) {
  const Rollup& totals = totals_rollup();
  TableScan rows(connection_, {"{prefix}ratingd_" + totals.table(), totals.key(), "version"},
                 slice_);
  rows.go_after(key_of(next.position));
  Rollup::Rows versions;
  for (std::int64_t count = 0; count < slice_ && rows.next(); ++count) {
    next.position = position_in(rows.row());
    Contribution change = contribution_of_change(next.position.object, next.position.category);
    change[Measure::version] += rows.row().integer(4);
    totals.add(change, versions);
  }
  totals.write(connection_, "{prefix}ratingd_" + totals.table() + "_new", versions);
  return versions.size();
}

// All of an object and category are added at once.
std::size_t RollupRebuild::add_aggregates(Rebuild& next) {
  TableScan rows(connection_, table_of(aggregates_table()), slice_);
  Key after = key_of(next.position);
  after.back() = {kLastDay.time_since_epoch().count()};
  after.emplace_back();
  rows.go_after(std::move(after));
  RollupChanges changes = new_changes();
  std::int64_t added = 0;
  for (; rows.next(); ++added) {
    const Aggregate aggregate = aggregate_in(rows.row());
    const RatingKey position{aggregate.key.object, aggregate.key.category, 0};
    if (added >= slice_ && position != next.position) break;
    next.position = position;
    changes.add(aggregate);
  }
  changes.write(connection_);
  return static_cast<std::size_t>(added);
}

std::size_t RollupRebuild::add_votes(Rebuild& next) {
  using enum KeyColumn;
  TableScan rows(
      connection_,
      {"{prefix}ratingd_votes", {object_id, object_type, category, voter}, "value, rated_at, held"},
      slice_);
  rows.go_after(key_of(next.position));
  RollupChanges changes = new_changes();
  std::int64_t added = 0;
  for (; added < slice_ && rows.next(); ++added) {
    next.position = store::key_in(rows.row());
    if (rows.row().integer(7) != 0) continue;
    changes.add_part(Contribution::to_object, next.position, store::own_rating_in(rows.row()));
  }
  changes.write(connection_);
  return static_cast<std::size_t>(added);
}

// Adds all votes of some voters, and the other columns of their rows in voters.
std::size_t RollupRebuild::add_voters(Rebuild& next) {
  struct Voter {
    std::set<base::Day> days;
    base::Day last_day = kNeverActive;
    base::Time last_rated_at{};
    std::int64_t ratings = 0;
  };
  std::map<VoterId, Voter> voters;
  const VoterId after = next.position.voter;
  const VoterId end = end_of_slice(after);
  const auto rows_of = [&](const std::string& text) {
    return connection_.query(text + " WHERE voter > ? AND voter <= ?", after, end);
  };
  for (db::Rows row = rows_of("SELECT voter, last_day, last_rated_at, ratings"
                              " FROM {prefix}ratingd_voters FORCE INDEX (PRIMARY)");
       row.next();) {
    voters[row.unsigned_integer(1)] = {{}, row.day(2), row.time(3), row.integer(4)};
  }
  RollupChanges changes = new_changes();
  std::size_t added = 0;
  for (db::Rows row =
           rows_of("SELECT object_id, object_type, category, voter, value, rated_at,"
                   " created_at, held FROM {prefix}ratingd_votes FORCE INDEX (by_voter)");
       row.next(); ++added) {
    if (row.integer(8) != 0) continue;
    const RatingKey key = store::key_in(row);
    const model::OwnRating rating = store::own_rating_in(row);
    const base::Time created_at = row.time(7);
    changes.add_part(Contribution::to_user, key, rating, created_at);
    voters[key.voter].days.insert({zone_.day_of(created_at), zone_.day_of(rating.rated_at)});
  }
  for (const auto& [voter, row] : voters) {
    changes.replace_activity(voter, {}, {row.days.begin(), row.days.end()});
  }
  kSaveVoters.execute(connection_, voters, [&](db::Statement& to, const auto& voter) {
    const auto& [id, row] = voter;
    const base::Day last_day = changes.last_day(id).value();
    to.bind(id, last_day, row.last_rated_at, last_day == row.last_day ? row.ratings : 0);
  });
  changes.write(connection_);
  next.position.voter = end;
  return std::max<std::size_t>(added, voters.empty() ? 0 : 1);
}

// The last voter of the slice that begins after "after".
VoterId RollupRebuild::end_of_slice(VoterId after) {
  VoterId end = kLastVoter;
  for (const char* table : {"votes FORCE INDEX (by_voter)", "voters FORCE INDEX (PRIMARY)"}) {
    db::Rows row = connection_.query(std::string("SELECT voter FROM {prefix}ratingd_") + table +
                                         " WHERE voter > ? ORDER BY voter LIMIT 1 OFFSET ?",
                                     after, slice_);
    if (row.next()) end = std::min(end, row.unsigned_integer(1));
  }
  return end;
}

RollupChanges RollupRebuild::new_changes() const {
  Rebuild all;
  all.zone = zone_;
  all.phase = Rebuild::Phase::complete;
  return RollupChanges::for_all_sets({zone_, all}, kSlot).back();
}

// The old rollup_state keeps the name "swap", so that a second RENAME fails: that of a run which
// was stopped just before it and replaced by this one.
void RollupRebuild::swap(const std::function<void()>& on_swapped) {
  db::in_transaction(connection_, kAttemptsOfSlice, [&] { save_state_of_new(connection_, zone_); });
  std::string renames = "RENAME TABLE ";
  const std::vector<std::string> tables = swapped_tables();
  for (const std::string& table : tables) {
    renames += "{prefix}ratingd_" + table + " TO {prefix}ratingd_swap, ";
    renames += "{prefix}ratingd_" + table + "_new TO {prefix}ratingd_" + table;
    if (table != tables.back())
      renames += ", {prefix}ratingd_swap TO {prefix}ratingd_" + table + "_new, ";
  }
  const auto rename = [&] {
    lease_.confirm();
    connection_.execute("DROP TABLE IF EXISTS {prefix}ratingd_swap");
    lease_.confirm();
    connection_.execute(renames);
  };
  persistently(rename, kPauseOfSwap);
  persistently(on_swapped);
  empty_new_tables();
}

}  // namespace rollups
