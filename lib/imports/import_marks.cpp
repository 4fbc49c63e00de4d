#include "imports/import_marks.h"

#include "db/bulk_statement.h"

namespace imports {
namespace {

constexpr db::BulkStatement kSaveMarks(
    {"INSERT INTO {prefix}ratingd_imports (plugin, object_id, object_type, log, last_row,"
     " last_rated_at, rows_read) VALUES ",
     "(?,?,?,?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE last_row = VALUES(last_row),"
     " last_rated_at = VALUES(last_rated_at), rows_read = VALUES(rows_read)"});

}  // namespace

ImportMarks read_marks(db::Connection& connection, std::string_view plugin, std::uint64_t after,
                       std::uint64_t upto) {
  ImportMarks marks;
  db::Rows row = connection.query(
      "SELECT object_id, object_type, log, last_row, last_rated_at, rows_read"
      " FROM {prefix}ratingd_imports WHERE plugin = ? AND object_id > ? AND object_id <= ?",
      plugin, after, upto);
  while (row.next()) {
    const MarkKey key{{row.unsigned_integer(1), row.text(2)}, row.text(3)};
    marks[key] = {row.unsigned_integer(4), row.time(5), row.integer(6)};
  }
  return marks;
}

void save_marks(db::Connection& connection, std::string_view plugin, const ImportMarks& marks) {
  kSaveMarks.execute(connection, marks, [&](db::Statement& statement, const auto& element) {
    const auto& [key, mark] = element;
    statement.bind(plugin, key.object.id, key.object.type, key.log, mark.last_row,
                   mark.last_rated_at, mark.rows);
  });
}

}  // namespace imports
