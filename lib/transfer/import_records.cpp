#include "transfer/import_records.h"

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

}  // namespace transfer
