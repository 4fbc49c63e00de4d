#include "db/bulk_statement.h"

namespace db {

BulkStatement::Shape insert_or_update(const std::string& table, const std::string& columns,
                                      std::size_t count, const std::string& on_duplicate) {
  std::string row = "(?";
  for (std::size_t i = 1; i < count; ++i) row += ",?";
  return {"INSERT INTO " + table + " (" + columns + ") VALUES ", row + ")", ",",
          " ON DUPLICATE KEY UPDATE " + on_duplicate};
}

BulkStatement::Shape where_in(const std::string& statement, const std::string& tail) {
  return {statement + " IN (", "?", ",", ")" + tail};
}

BulkStatement::Shape where_any(const std::string& statement, const std::string& condition,
                               const std::string& tail) {
  return {statement + " WHERE ", condition, " OR ", tail};
}

std::string added(std::string_view column) {
  const std::string name(column);
  return name + " = " + name + " + VALUES(" + name + ")";
}

}  // namespace db
