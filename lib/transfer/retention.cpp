#include "transfer/retention.h"

#include <chrono>

#include "analytics/materialized_lists.h"
#include "base/timestamp.h"
#include "db/transaction.h"
#include "store/named_values.h"
#include "transfer/aggregation.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

constexpr std::string_view kProgressName = "addresses_erased_before";
constexpr std::int64_t kVotesOfSlice = 500;
constexpr std::chrono::minutes kAggregationLockTimeout{5};

// Returns the end of the slice that begins at "from". Votes with the same timestamp are in the same
// slice.
base::Time slice_end(db::Connection& connection, base::Time from, base::Time before) {
  db::Rows row = connection.query(
      "SELECT rated_at FROM {prefix}ratingd_votes FORCE INDEX (by_time) WHERE rated_at >= ?"
      " AND rated_at < ? ORDER BY rated_at LIMIT 1 OFFSET ?",
      from, before, kVotesOfSlice);
  if (!row.next()) return before;
  const base::Time end = row.time(1);
  return end > from ? end : from + std::chrono::microseconds(1);
}

}  // namespace

std::int64_t erase_old_addresses(db::Connection& connection, base::Time before) {
  const auto progress = store::read_value(connection, kProgressName);
  base::Time from = base::from_datetime(progress.value_or("")).value_or(base::Time());
  // If the setting was raised or the clock was ahead, the stored progress is in the future. The
  // time is reset because otherwise nothing would be erased until that time.
  if (from > before) store::save_value(connection, kProgressName, base::to_datetime(before));
  std::uint64_t erased = 0;
  while (from < before) {
    const base::Time end = slice_end(connection, from, before);
    erased += db::in_transaction(connection, [&] {
      const std::uint64_t changed = connection.execute(
          "UPDATE {prefix}ratingd_votes FORCE INDEX (by_time) SET address = '', agent = 0"
          " WHERE rated_at >= ? AND rated_at < ? AND (address <> '' OR agent <> 0)",
          from, end);
      store::save_value(connection, kProgressName, base::to_datetime(end));
      return changed;
    });
    from = end;
  }
  return static_cast<std::int64_t>(erased);
}

std::uint64_t aggregate_old_ratings(db::Connection& connection, base::Time before) {
  const auto lock = lock_changes(connection, kAggregationLockTimeout);
  const Aggregation aggregation(connection);
  std::uint64_t aggregated = 0;
  while (const std::size_t more = aggregation.aggregate(before)) aggregated += more;
  if (aggregated == 0) return 0;
  rollups::delete_empty_days(connection);
  // The ratings of users have changed, so their lists have changed, too.
  analytics::invalidate_lists(connection);
  return aggregated;
}

}  // namespace transfer
