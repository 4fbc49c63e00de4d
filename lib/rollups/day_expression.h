#pragma once

#include <string>

#include "base/zone.h"
#include "db/connection.h"

namespace rollups {

// An SQL expression for the day of the column rated_at in "zone". The time zone tables of the
// server are often empty, so the expression lists the offsets of the zone. It is valid for all
// stored votes and for votes of the next year. Errors: as db::Connection.
[[nodiscard]] std::string day_expression(db::Connection& connection,
                                         const std::string& table_prefix, const base::Zone& zone);

}  // namespace rollups
