#include "imports/damaged_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace imports {
namespace {

constexpr int kUnknownColumn = 1054;
// The codes of errors that a statement can cause although the table is not damaged.
constexpr std::array kOfStatements = {
    kUnknownColumn,
    1104,  // the statement would read more rows than max_join_size
    1267,  // strings with different collations are compared
    1305,  // the function does not exist
};

// Returns whether the server can read the first "count" rows. Without the LIMIT clause, the server
// could return the row count from the table's metadata instead of reading the rows.
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

// Returns the key of the first row that the server cannot read. Returns nothing if "key" is not the
// table's primary key, or if the server can read all rows in the order of "key".
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
    // The server reads the key from the primary key's index, so the damaged row itself is not read.
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
  // db::NoRoom is a db::ConnectionLost.
  return dynamic_cast<const db::ConnectionLost*>(&failure) == nullptr &&
         dynamic_cast<const db::Conflict*>(&failure) == nullptr &&
         std::ranges::find(kOfStatements, failure.code()) == kOfStatements.end();
}

bool lacks_column(const db::Failure& failure) { return failure.code() == kUnknownColumn; }

DamagedTable table_without_column(const db::Connection& connection, std::string_view table,
                                  const db::Failure& failure) {
  return DamagedTable(base::Message(
      "The {table} table cannot be read, because this version of the plugin lacks a column: "
      "{error}.",
      {{"table", connection.table_prefix() + std::string(table)}, {"error", failure.what()}}));
}

DamagedTable damaged_table(db::Connection& connection, std::string_view table, std::string_view key,
                           const db::Failure& failure) {
  std::vector<base::MessageValue> values = {
      {"table", connection.table_prefix() + std::string(table)}, {"error", failure.what()}};
  const auto row = key.empty() ? std::nullopt : first_damaged_row(connection, table, key);
  if (!row) {
    return DamagedTable(base::Message(
        "Only part of the {table} table can be read: {error}. The import stopped before the "
        "first object whose votes could not be read. Repair the table and repeat the import.",
        std::move(values)));
  }
  values.push_back({"row", std::to_string(*row)});
  return DamagedTable(base::Message(
      "Row {row} of the {table} table cannot be read: {error}. The import stopped before the "
      "first object whose votes could not be read. Repair the table and repeat the import.",
      std::move(values)));
}

}  // namespace imports
