#pragma once

#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "db/connection.h"

namespace analytics {

// Builds all lists of a period: sums up the ratings of the filter's days, of all categories and
// types. Reads a row for each object and day, and for each user and day; only the lists are held in
// memory. Errors: as db::Connection.
[[nodiscard]] std::vector<ListPart> build_materialized_lists(db::Connection& connection,
                                                             const std::string& table_prefix,
                                                             const RatingFilter& filter);

}  // namespace analytics
