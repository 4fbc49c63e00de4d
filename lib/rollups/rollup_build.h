#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/zone.h"
#include "db/connection.h"

namespace rollups {

// Makes all rollups from the votes and balances, with days in "zone", in a statement for each
// rollup; "before" hears the name of each before it is made. Reads all votes several times.
//
// Activity is known from votes alone: a voter was active on the days its votes count on.
//
// REQUIRES: the rollups are empty and nobody votes meanwhile. Errors: as db::Connection; what was
// made until then stays.
void build_rollups(db::Connection& connection, const std::string& table_prefix,
                   const base::Zone& zone,
                   const std::function<void(std::string_view rollup)>& before);

}  // namespace rollups
