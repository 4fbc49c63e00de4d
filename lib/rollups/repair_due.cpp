#include "rollups/repair_due.h"

#include <string_view>

#include "rollups/writer_rows.h"
#include "store/named_values.h"

namespace rollups {
namespace {

constexpr std::string_view kRepaired = "repaired";  // the name of the stored value

}  // namespace

// The value is "<rebuilds>/<day>".
void note_repair(db::Connection& connection) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_state (name, value) SELECT ?, CONCAT(rebuilds, '/', UTC_DATE())"
      " FROM {prefix}ratingd_rollup_state WHERE id = 1"
      " ON DUPLICATE KEY UPDATE value = VALUES(value)",
      kRepaired);
  // Version 0.2 may have begun a deletion of all ratings without ending it
  // (is_activity_shortened()). The repair ends this state.
  store::remove_value(connection, "cleaning_all");
}

void require_repair(db::Connection& connection) { store::remove_value(connection, kRepaired); }

// A worker's row contains the day of its last vote. It is not deleted until a week after this day
// (rollups/writer_rows.h).
RepairDue repair_due(db::Connection& connection) {
  db::Rows row = connection.query(
      "SELECT SUBSTRING_INDEX(value, '/', 1) = rebuilds"
      " AND NOT EXISTS (SELECT 1 FROM {prefix}ratingd_writers WHERE writer <> 0 AND program < ?"
      "   AND seen_on >= SUBSTRING_INDEX(value, '/', -1)),"
      " EXISTS (SELECT 1 FROM {prefix}ratingd_writers WHERE writer <> 0 AND program < ?"
      "   AND seen_on >= UTC_DATE())"
      " FROM {prefix}ratingd_rollup_state LEFT JOIN {prefix}ratingd_state ON name = ?"
      " WHERE id = 1",
      kProgram, kProgram, kRepaired);
  if (!row.next()) return RepairDue::no;
  if (!row.is_null(1) && row.integer(1) != 0) return RepairDue::no;
  return row.integer(2) != 0 ? RepairDue::later : RepairDue::now;
}

}  // namespace rollups
