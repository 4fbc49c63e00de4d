#include "db/bulk_shapes.h"

namespace db {

BulkStatement::Shape insert_or_update(const std::string& table, const std::string& columns,
                                      std::size_t count, const std::string& on_duplicate) {
  std::string row = "(?";
  for (std::size_t i = 1; i < count; ++i) row += ",?";
  return {"INSERT INTO " + table + " (" + columns + ") VALUES ", row + ")", ",",
          " ON DUPLICATE KEY UPDATE " + on_duplicate};
}

BulkStatement::Shape delete_where_in(const std::string& table, const std::string& column) {
  return {"DELETE FROM " + table + " WHERE " + column + " IN (", "?", ",", ")"};
}

std::string added(std::string_view column) {
  const std::string name(column);
  return name + " = " + name + " + VALUES(" + name + ")";
}

}  // namespace db
