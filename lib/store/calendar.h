#pragma once

#include <chrono>
#include <string>

#include "base/zone.h"
#include "db/connection.h"
#include "store/state_store.h"
#include "store/wp_store.h"

namespace store {

// How the days of this site are counted.
struct Calendar {
  base::Zone zone;       // of the rollups
  base::Zone site_zone;  // that the CMS has now; counts once the rollups are rebuilt
  std::chrono::weekday week_start{1};

  [[nodiscard]] bool is_pending() const { return zone.name() != site_zone.name(); }
};

// Safe for concurrent use, each caller with its own connection.
class CalendarStore {
 public:
  explicit CalendarStore(const std::string& table_prefix);

  // Errors: as StateStore::zone.
  [[nodiscard]] Calendar read(db::Connection& connection) const;

 private:
  const StateStore state_;
  const WpStore wp_;
};

}  // namespace store
