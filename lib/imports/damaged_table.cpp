#include "imports/damaged_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace imports {
namespace {

// Returns whether the server can read the first "count" rows. Because of LIMIT, the server must
// read the rows and cannot use the row count that is stored in the table.
bool can_read(db::Connection& connection, const std::string& rows, std::int64_t count) {
  try {
    static_cast<void>(
        connection.query("SELECT COUNT(*) FROM (SELECT *" + rows + " LIMIT ?) AS first_rows", count)
            .number());
    return true;
  } catch (const db::Failure& failure) {
    if (!is_of_table(failure)) throw;
    return false;
  }
}

// Returns the first key whose row the server cannot read. Returns nothing if the table has another
// primary key, or if the server can read all rows in the order of the key.
std::optional<std::uint64_t> first_damaged_row(db::Connection& connection, std::string_view table,
                                               std::string_view key) {
  const std::string name = " FROM {prefix}" + std::string(table);
  const std::string rows = name + " FORCE INDEX (PRIMARY) ORDER BY " + std::string(key);
  try {
    std::int64_t readable = 0;
    std::int64_t unreadable = connection.query("SELECT COUNT(*)" + name).number();
    if (can_read(connection, rows, unreadable)) return std::nullopt;
    while (unreadable - readable > 1) {
      const std::int64_t middle = readable + (unreadable - readable) / 2;
      (can_read(connection, rows, middle) ? readable : unreadable) = middle;
    }
    // The index contains the key, so the server does not read the damaged row.
    db::Rows row =
        connection.query("SELECT " + std::string(key) + rows + " LIMIT 1 OFFSET ?", readable);
    return row.next() ? std::optional(row.unsigned_integer(1)) : std::nullopt;
  } catch (const db::Failure& failure) {
    if (!is_of_table(failure)) throw;
    return std::nullopt;
  }
}

}  // namespace

bool is_of_table(const db::Failure& failure) {
  return dynamic_cast<const db::ConnectionLost*>(&failure) == nullptr &&
         dynamic_cast<const db::Conflict*>(&failure) == nullptr;
}

DamagedTable damaged_table(db::Connection& connection, std::string_view table, std::string_view key,
                           const db::Failure& failure) {
  std::vector<base::MessageValue> values = {
      {"table", connection.table_prefix() + std::string(table)}, {"error", failure.what()}};
  const auto row = key.empty() ? std::nullopt : first_damaged_row(connection, table, key);
  if (!row) {
    return DamagedTable(base::Message(
        "The table {table} can be read only in part: {error}. The import stopped before the first "
        "object whose votes could not be read. Repair the table and repeat the import.",
        std::move(values)));
  }
  values.push_back({"row", std::to_string(*row)});
  return DamagedTable(base::Message(
      "Row {row} of the table {table} cannot be read: {error}. The import stopped before the first "
      "object whose votes could not be read. Repair the table and repeat the import.",
      std::move(values)));
}

}  // namespace imports
