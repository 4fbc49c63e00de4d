#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/zone.h"
#include "db/connection.h"

namespace rollups {

// Fills empty rollups from the votes and aggregates, with days in "zone": for new or demo sites.
// rollups/rebuild.h replaces rollups while votes arrive. "before" is called with the name of each
// rollup first. Reads all votes several times.
//
// Activity is derived from the votes: a voter was active on the days on which its votes count.
//
// REQUIRES: the rollups are empty and no votes arrive meanwhile. Errors: as db::Connection; rollups
// filled before the error stay.
void build_rollups(db::Connection& connection, const std::string& table_prefix,
                   const base::Zone& zone,
                   const std::function<void(std::string_view rollup)>& before);

}  // namespace rollups
