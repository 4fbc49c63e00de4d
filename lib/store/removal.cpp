#include "store/removal.h"

#include <algorithm>

#include "db/migrations.h"

namespace store {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<OwnTable> own_tables(db::Connection& connection) {
  const std::string& prefix = connection.table_prefix();
  std::vector<std::string> tables = db::table_names(prefix);
  tables.push_back(prefix + "ratingd_swap");
  const std::vector<std::string> views = db::view_names(prefix);
  std::vector<OwnTable> own;
  db::Rows row = connection.query(
      "SELECT table_name, table_type FROM information_schema.tables"
      " WHERE table_schema = DATABASE() ORDER BY table_name");
  while (row.next()) {
    const bool is_view = row.text(2) == "VIEW";
    if (contains(is_view ? views : tables, row.text(1))) own.push_back({row.text(1), is_view});
  }
  return own;
}

std::int64_t count_rows_of(db::Connection& connection, const OwnTable& table) {
  return connection.query("SELECT COUNT(*) FROM " + table.name).number();
}

void remove(db::Connection& connection, const std::vector<OwnTable>& tables) {
  std::string names;
  for (const OwnTable& table : tables) {
    if (table.is_view) {
      connection.execute("DROP VIEW " + table.name);
    } else {
      names += (names.empty() ? "" : ", ") + table.name;
    }
  }
  // In one statement: nobody sees a part of the tables.
  if (!names.empty()) connection.execute("DROP TABLE " + names);
}

}  // namespace store
