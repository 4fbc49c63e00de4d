#include "rollups/table_scan.h"

#include "base/text.h"
#include "db/key_range.h"

namespace rollups {
namespace {

std::string text_of(const TableScan::Table& table) {
  const std::string key = base::joined(names_of(table.key));
  return "SELECT " + key + (table.columns.empty() ? "" : ", ") + table.columns + " FROM " +
         table.name + " FORCE INDEX (PRIMARY) WHERE " + db::after(names_of(table.key)) + " AND " +
         table.condition + " ORDER BY " + key + " LIMIT ?";
}

}  // namespace

TableScan::Table table_of(const Rollup& rollup) {
  return {"{prefix}ratingd_" + rollup.table(), rollup.key(), rollup.measure_columns()};
}

TableScan::TableScan(db::Connection& connection, const Table& table, std::int64_t rows_of_page)
    : connection_(connection),
      columns_(table.key),
      rows_of_page_(rows_of_page),
      read_(text_of(table)),
      key_(first_key(table.key)) {}

bool TableScan::next() {
  while (!is_at_end_) {
    if (rows_ && rows_->next()) {
      ++read_rows_;
      key_ = key_in(*rows_, columns_);
      return true;
    }
    is_at_end_ = rows_ && read_rows_ < rows_of_page_;
    if (!is_at_end_) read_page();
  }
  return false;
}

void TableScan::read_page() {
  db::Statement& statement = connection_.prepare(read_);
  for (std::size_t columns = 1; columns <= columns_.size(); ++columns) {
    for (std::size_t i = 0; i < columns; ++i) bind(statement, columns_[i], key_[i]);
  }
  rows_ = statement.bind(rows_of_page_).query();
  read_rows_ = 0;
}

}  // namespace rollups
