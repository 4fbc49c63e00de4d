#include "transfer/retention.h"

#include <chrono>

#include "analytics/materialized_lists.h"
#include "db/transaction.h"
#include "transfer/bulk_ratings.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

constexpr std::string_view kProgressName = "addresses_erased_before";
constexpr std::int64_t kVotesOfSlice = 500;
constexpr std::chrono::minutes kRollUpLockTimeout{5};

struct Statements {
  explicit Statements(const std::string& prefix)
      : read_progress("SELECT CAST(value AS DATETIME(6)) FROM " + prefix +
                      "ratingd_state WHERE name = ?"),
        save_progress("INSERT INTO " + prefix +
                      "ratingd_state (name, value) VALUES (?, ?) ON DUPLICATE KEY UPDATE value = "
                      "VALUES(value)"),
        find_slice("SELECT rated_at FROM " + prefix +
                   "ratingd_votes FORCE INDEX (by_time) WHERE rated_at >= ? AND rated_at < ? "
                   "ORDER BY rated_at LIMIT 1 OFFSET " +
                   std::to_string(kVotesOfSlice)),
        erase("UPDATE " + prefix +
              "ratingd_votes FORCE INDEX (by_time) SET address = '', agent = 0 WHERE rated_at "
              ">= ? AND rated_at < ? AND (address <> '' OR agent <> 0)") {}

  const std::string read_progress, save_progress, find_slice, erase;
};

// The end of the slice that begins at "from". Votes of the same time are in the same slice.
base::Time slice_end(db::Connection& connection, const Statements& statements, base::Time from,
                     base::Time before) {
  db::Rows row = connection.prepare(statements.find_slice).bind(from).bind(before).query();
  if (!row.next()) return before;
  const base::Time end = row.time(1);
  return end > from ? end : from + std::chrono::microseconds(1);
}

std::int64_t erase_slice(db::Connection& connection, const Statements& statements, base::Time from,
                         base::Time end) {
  std::uint64_t erased = 0;
  db::in_transaction(connection, db::kUsualAttempts, [&] {
    erased = connection.prepare(statements.erase).bind(from).bind(end).execute();
    connection.prepare(statements.save_progress).bind(kProgressName).bind(end).execute();
  });
  return static_cast<std::int64_t>(erased);
}

}  // namespace

std::int64_t erase_old_addresses(db::Connection& connection, const std::string& table_prefix,
                                 base::Time before) {
  const Statements statements(table_prefix);
  base::Time from{};
  db::Rows progress = connection.prepare(statements.read_progress).bind(kProgressName).query();
  if (progress.next()) from = progress.time(1);
  std::int64_t erased = 0;
  while (from < before) {
    const base::Time end = slice_end(connection, statements, from, before);
    erased += erase_slice(connection, statements, from, end);
    from = end;
  }
  return erased;
}

std::uint64_t roll_up_old_ratings(db::Connection& connection, const std::string& table_prefix,
                                  base::Time before) {
  const auto lock = lock_changes(connection, table_prefix, kRollUpLockTimeout);
  const BulkRatings bulk(table_prefix);
  std::uint64_t rolled_up = 0;
  while (const std::size_t more = bulk.roll_up(connection, before)) rolled_up += more;
  if (rolled_up == 0) return 0;
  rollups::delete_empty_days(connection, table_prefix);
  // The lists of users have changed.
  analytics::MaterializedLists(table_prefix).invalidate(connection);
  return rolled_up;
}

}  // namespace transfer
