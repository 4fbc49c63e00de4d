#pragma once

#include <string>

#include "base/zone.h"
#include "db/connection.h"

namespace rollups {

// The column rated_at of votes as a day of "zone", in SQL: the server's own table of zones is
// mostly empty. It holds for all votes that there are, and those of the next year. Errors: as
// db::Connection.
[[nodiscard]] std::string day_expression(db::Connection& connection,
                                         const std::string& table_prefix, const base::Zone& zone);

}  // namespace rollups
