#include "transfer/address_retention.h"

#include "db/transaction.h"

namespace transfer {
namespace {

constexpr std::string_view kMark = "addresses_erased_before";
constexpr std::int64_t kSlice = 500;
constexpr int kAttempts = 10;

struct Statements {
  explicit Statements(const std::string& prefix)
      : read_mark("SELECT CAST(value AS DATETIME(6)) FROM " + prefix +
                  "ratingd_state WHERE name = ?"),
        save_mark("INSERT INTO " + prefix +
                  "ratingd_state (name, value) VALUES (?, ?) ON DUPLICATE KEY UPDATE "
                  "value = VALUES(value)"),
        find_slice("SELECT rated_at FROM " + prefix +
                   "ratingd_votes FORCE INDEX (by_time) WHERE rated_at >= ? AND rated_at < ? "
                   "ORDER BY rated_at LIMIT 1 OFFSET " +
                   std::to_string(kSlice)),
        erase("UPDATE " + prefix +
              "ratingd_votes FORCE INDEX (by_time) SET address = '', agent = 0 WHERE rated_at "
              ">= ? AND rated_at < ? AND (address <> '' OR agent <> 0)") {}

  const std::string read_mark, save_mark, find_slice, erase;
};

// The end of a slice that begins at "from": votes of one and the same time are never parted.
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
  db::in_transaction(connection, kAttempts, [&] {
    erased = connection.prepare(statements.erase).bind(from).bind(end).execute();
    connection.prepare(statements.save_mark).bind(kMark).bind(end).execute();
  });
  return static_cast<std::int64_t>(erased);
}

}  // namespace

std::int64_t erase_old_addresses(db::Connection& connection, const std::string& table_prefix,
                                 base::Time before) {
  const Statements statements(table_prefix);
  base::Time from{};
  db::Rows mark = connection.prepare(statements.read_mark).bind(kMark).query();
  if (mark.next()) from = mark.time(1);
  std::int64_t erased = 0;
  while (from < before) {
    const base::Time end = slice_end(connection, statements, from, before);
    erased += erase_slice(connection, statements, from, end);
    from = end;
  }
  return erased;
}

}  // namespace transfer
