#pragma once

#include <chrono>
#include <string>

#include "base/message.h"
#include "db/connection.h"
#include "db/lease.h"
#include "rollups/repair.h"
#include "rollups/rollup_state.h"

namespace transfer {

// How long an export, an import or a clean-up waits for another such operation to end.
inline constexpr std::chrono::seconds kLockTimeout{5};

// Takes the lease for operations that change many of a site's ratings. Only one such operation runs
// at a time. So operations do not undo each other's changes, and together they use only one session
// on the CMS's database. Errors: db::Busy - the lease was not free within "timeout".
[[nodiscard]] inline db::Lease lock_changes(db::Connection& connection,
                                            std::chrono::seconds timeout) {
  return {connection, "changes", timeout,
          base::Message("Another import, deletion or nightly maintenance is running. Please try "
                        "again when it is done.")
              .text()};
}

// Takes the lease that excludes repairs of the rollups and backups. Errors: db::Busy - the lease
// was not free within kLockTimeout.
[[nodiscard]] inline db::Lease lock_repairs(db::Connection& connection) {
  return rollups::lock_repairs(
      connection, kLockTimeout,
      base::Message("The sums are being repaired or backed up. Please try again when it is done.")
          .text());
}

// Operations that compute voters' activity from stored ratings must call this function after
// lock_changes(). Errors: db::Busy - a deletion of all ratings by version 0.2 was interrupted.
inline void require_full_activity(db::Connection& connection) {
  if (!rollups::is_activity_shortened(connection)) return;
  throw db::Busy(
      base::Message(
          "A deletion of all ratings was interrupted. First run “ratingctl rebuild” on the server.")
          .text());
}

}  // namespace transfer
