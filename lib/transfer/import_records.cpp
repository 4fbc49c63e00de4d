#include "transfer/import_records.h"

#include <cassert>

#include "analytics/rating_filter.h"

namespace transfer {

void record_merge(db::Connection& connection, const std::set<std::string>& sources,
                  const model::Object& from, const model::Object& into) {
  for (const std::string& source : sources) {
    // An importer's source is the plugin's name, and may have a suffix after a colon.
    const std::string plugin = source.substr(0, source.find(':'));
    for (const model::Object& object : {from, into}) {
      connection.execute(
          "INSERT INTO {prefix}ratingd_imports (plugin, object_id, object_type, log, last_row,"
          " last_rated_at, rows_read) VALUES (?, ?, ?, ?, 0, '1970-01-01', 0)"
          " ON DUPLICATE KEY UPDATE last_row = 0",
          plugin, object.id, object.type, kMergedLog);
    }
  }
}

void forget_imports(db::Connection& connection, const Selection& selection) {
  assert(selection.is_of_whole_objects());
  std::string statement = "DELETE FROM {prefix}ratingd_imports WHERE 1";
  if (selection.object_id) statement += " AND object_id = ?";
  if (selection.object_type) statement += analytics::type_condition("?", selection.posts, "");
  db::Statement& prepared = connection.prepare(statement);
  selection.bind_to(prepared);
  prepared.execute();
}

}  // namespace transfer
