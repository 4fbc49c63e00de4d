#pragma once

#include <chrono>
#include <string>

#include "base/message.h"
#include "db/connection.h"
#include "db/lease.h"
#include "rollups/repair.h"
#include "rollups/rollup_state.h"

namespace transfer {

// The maximum time that an export, an import or a clean-up waits for a conflicting operation to
// end.
inline constexpr std::chrono::seconds kLockTimeout{5};

// Acquires the lease for operations that change many ratings of a site. Only one operation at a
// time can hold the lease, so operations cannot undo each other's changes. The lease also limits
// these operations to a single session with the CMS's database. Throws db::Busy if another
// operation still holds the lease after "timeout".
[[nodiscard]] inline db::Lease lock_changes(db::Connection& connection,
                                            std::chrono::seconds timeout) {
  return {connection, "changes", timeout,
          base::Message(
              "Another import, a deletion or nightly maintenance is running. Please try again "
              "later.")
              .text()};
}

// Acquires the lease that blocks backups and rollup repairs. Throws db::Busy if another operation
// still holds the lease after kLockTimeout.
[[nodiscard]] inline db::Lease lock_repairs(db::Connection& connection) {
  return rollups::lock_repairs(
      connection, kLockTimeout,
      base::Message("The rating totals are being repaired or backed up. Please try again later.")
          .text());
}

// Throws db::Busy if version 0.2 was interrupted while deleting all ratings. Operations that
// compute voters' activity from stored ratings must call this function after lock_changes().
inline void require_full_activity(db::Connection& connection) {
  if (!rollups::is_activity_shortened(connection)) return;
  throw db::Busy(base::Message("The deletion of all ratings was interrupted. Run “ratingctl "
                               "rebuild” on the server first.")
                     .text());
}

}  // namespace transfer
