#include "admin/drop.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "admin/database_waits.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "store/removal.h"

namespace admin {
namespace {

void print(db::Connection& connection, const std::vector<store::OwnTable>& tables) {
  for (const store::OwnTable& table : tables) {
    if (table.is_view) {
      fmt::print("{:<45} view\n", table.name);
    } else {
      fmt::print("{:<45} {} rows\n", table.name, store::count_rows_of(connection, table));
    }
  }
}

}  // namespace

int drop(const config::Config& config, const Flags& flags) {
  db::Connection connection(db::endpoint_of(config.database, kWaitForAll));
  const int version = db::schema_version(connection, config.table_prefix);
  if (version > db::newest_version()) {
    fmt::print(
        "The tables have version {}, and this program does not know all of them. "
        "Use the version of ratingctl that created them.\n",
        version);
    return 1;
  }
  const auto tables = store::own_tables(connection, config.table_prefix);
  const std::string place = config.database.name + " on " + connection.server();
  if (tables.empty()) {
    fmt::print("There are no tables of ratingd in {}.\n", place);
    return 0;
  }
  if (!flags.contains("confirm")) {
    print(connection, tables);
    fmt::print("Nothing was removed. With --confirm these are permanently removed from {}.\n",
               place);
    return 0;
  }
  store::remove(connection, tables);
  fmt::print(
      "Removed all data of ratingd from {}. Running workers end by themselves; afterwards "
      "run: ratingctl free-memory\n",
      place);
  return 0;
}

}  // namespace admin
