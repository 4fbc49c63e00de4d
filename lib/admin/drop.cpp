#include "admin/drop.h"

#include <cstdio>
#include <string>
#include <vector>

#include "db/endpoint.h"
#include "db/migrations.h"
#include "store/removal.h"

namespace admin {
namespace {

constexpr std::chrono::hours kPatience{24};  // a backup may hold the tables

void print(db::Connection& connection, const std::vector<store::OwnTable>& tables) {
  for (const store::OwnTable& table : tables) {
    if (table.is_view) {
      std::printf("%-45s view\n", table.name.c_str());
    } else {
      std::printf("%-45s %lld rows\n", table.name.c_str(),
                  static_cast<long long>(store::count_rows_of(connection, table)));
    }
  }
}

}  // namespace

int drop(const config::Config& config, const Flags& flags) {
  db::Connection connection(db::endpoint_of(config.database, kPatience));
  const int version = db::schema_version(connection, config.table_prefix);
  if (version > db::newest_version()) {
    std::printf("The tables have version %d, and this program does not know all of them. %s\n",
                version, "Take the ratingctl that made them.");
    return 1;
  }
  const auto tables = store::own_tables(connection, config.table_prefix);
  const std::string place = config.database.name + " on " + connection.server();
  if (tables.empty()) {
    std::printf("There are no tables of ratingd in %s.\n", place.c_str());
    return 0;
  }
  if (!flags.contains("confirm")) {
    print(connection, tables);
    std::printf("Nothing was removed. With --confirm these are, for ever, from %s.\n",
                place.c_str());
    return 0;
  }
  store::remove(connection, tables);
  std::printf(
      "Removed all that ratingd stored in %s. Workers that still run end by themselves; after them "
      "run: ratingctl free-memory\n",
      place.c_str());
  return 0;
}

}  // namespace admin
