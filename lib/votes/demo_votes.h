#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "db/connection.h"

namespace votes {

struct DemoSite {
  std::int64_t votes = 100'000;
  std::int64_t objects = 1000;  // posts 1, 2, 3 ...
  std::int64_t days = 365;      // up to and with "until"
  std::uint64_t seed = 1;
  base::Time until;
};

// Whether anybody ever rated, also if nothing of it is left but sums.
[[nodiscard]] bool has_votes(db::Connection& connection, const std::string& table_prefix);

// Stores votes as a site has them: few objects have most of them (a power law), weekends and nights
// are quiet, a fifth comes from registered users; all categories. The same seed makes the same
// votes. "progress" hears how many are stored. Rollups are not touched.
//
// REQUIRES: there are no votes. Errors: as db::Connection; what was stored until then stays.
void store_demo_votes(db::Connection& connection, const std::string& table_prefix,
                      const DemoSite& site, const std::function<void(std::int64_t)>& progress);

}  // namespace votes
