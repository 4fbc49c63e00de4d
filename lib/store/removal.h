#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"

namespace store {

// A table or view of ratingd in the database.
struct OwnTable {
  std::string name;
  bool is_view = false;
};

// All tables and views that the migrations of this program create, and the temporary tables of a
// rebuild. Errors here and below: as db::Connection.
[[nodiscard]] std::vector<OwnTable> own_tables(db::Connection& connection);

// Reads the whole table.
[[nodiscard]] std::int64_t count_rows_of(db::Connection& connection, const OwnTable& table);

// Drops the tables and views permanently. Waits for transactions that use them. An interrupted
// removal can be repeated with the remaining ones.
void remove(db::Connection& connection, const std::vector<OwnTable>& tables);

}  // namespace store
