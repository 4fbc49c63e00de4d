#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"

namespace store {

// A table of ratingd that is in the database, or a view.
struct OwnTable {
  std::string name;
  bool is_view = false;
};

// All of them that the migrations of this program make, and what a rebuild makes on its way. Errors
// here and below: as db::Connection.
[[nodiscard]] std::vector<OwnTable> own_tables(db::Connection& connection,
                                               const std::string& table_prefix);

// Reads the whole table.
[[nodiscard]] std::int64_t count_rows_of(db::Connection& connection, const OwnTable& table);

// Removes them, for ever. Waits for the transactions that use them. An interrupted removal may be
// repeated with those that are left.
void remove(db::Connection& connection, const std::vector<OwnTable>& tables);

}  // namespace store
