#pragma once

#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "db/connection.h"

namespace analytics {

// Sums up what was rated on the filter's days, of all categories and types, into all lists that are
// kept of a period. Reads a row for each object and day, and for each user and day, on the server;
// holds the lists alone. Errors: as db::Connection.
[[nodiscard]] std::vector<ListPart> build_materialized_lists(db::Connection& connection,
                                                             const std::string& table_prefix,
                                                             const RatingFilter& filter);

}  // namespace analytics
