#pragma once

#include "db/connection.h"

// Functions that determine whether a repair of the rollups is due (rollups/repair.h). The last
// complete repair is stored together with its day and the number of rebuilds by version 0.3 up to
// that time. A repair is due in three cases: no repair is stored, version 0.3 has rebuilt the
// rollups since, or workers that do not know all rollups (kProgram) have written votes since.
//
// Errors (all functions): as db::Connection.
namespace rollups {

// note_repair() stores that a repair is complete. require_repair() stores that a repair is due.
void note_repair(db::Connection& connection);
void require_repair(db::Connection& connection);

enum class RepairDue {
  no,
  later,  // due, but workers that do not know all rollups have written votes today
  now,
};
[[nodiscard]] RepairDue repair_due(db::Connection& connection);

}  // namespace rollups
