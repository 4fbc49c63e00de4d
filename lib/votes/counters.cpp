#include "votes/counters.h"

#include <map>
#include <vector>

#include "db/bulk_statement.h"

namespace votes {
namespace {

using Key = Allowances::Key;
using Counts = std::map<Key, Allowances::Count>;

constexpr db::BulkStatement kAddToCounters(
    {"INSERT INTO {prefix}ratingd_counters (counter, used) VALUES ", "(?,?)", ",",
     " ON DUPLICATE KEY UPDATE used = used + VALUES(used)"});
constexpr db::BulkStatement kReadCounters(
    {"SELECT counter, used FROM {prefix}ratingd_counters FORCE INDEX (PRIMARY) WHERE counter IN (",
     "?", ",", ")"});
constexpr db::BulkStatement kRemoveCounters(
    {"DELETE FROM {prefix}ratingd_counters WHERE counter IN (", "?", ",", ")"});

// Adds the reservations to the counters. Returns the number of changed rows, which equals the size
// of "counts" if all counters are new.
std::uint64_t add_reserved(db::Connection& connection, const Counts& counts) {
  return kAddToCounters.execute(connection, counts,
                                [](db::Statement& statement, const auto& row, bool repetition) {
                                  statement.bind(row.first, repetition ? 0 : row.second.reserved);
                                });
}

}  // namespace

void delete_old_counters(db::Connection& connection, base::Time before) {
  connection.execute(
      "DELETE FROM {prefix}ratingd_counters WHERE counter < ? ORDER BY counter LIMIT 500",
      first_counter_until(before));
}

void lock_counters(db::Connection& connection, Allowances& allowances) {
  const std::uint64_t changed = add_reserved(connection, allowances.counts);
  end_lock_counters(connection, static_cast<std::int64_t>(changed), allowances);
}

void begin_lock_counters(db::Connection& connection, const Allowances& allowances) {
  add_reserved(connection, allowances.counts);
}

void end_lock_counters(db::Connection& connection, std::int64_t changed, Allowances& allowances) {
  auto& counts = allowances.counts;
  if (counts.empty() || changed == static_cast<std::int64_t>(counts.size())) return;
  kReadCounters.query(
      connection, counts,
      [](db::Statement& statement, const auto& row) { statement.bind(row.first); },
      [&](const db::Rows& row) {
        Allowances::Count& count = counts.at(row.text(1));
        count.used = row.integer(2) - count.reserved;
      });
}

void settle_counters(db::Connection& connection, const Allowances& allowances) {
  Counts returned;
  std::vector<Key> unused;
  for (const auto& [key, count] : allowances.counts) {
    if (count.used == 0) {
      unused.push_back(key);
    } else if (count.reserved > 0) {
      returned[key].reserved = -count.reserved;
    }
  }
  add_reserved(connection, returned);
  kRemoveCounters.execute(connection, unused);
}

}  // namespace votes
