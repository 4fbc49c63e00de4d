#pragma once

#include <chrono>
#include <string>

#include "db/connection.h"
#include "db/server_lock.h"

namespace transfer {

// How long an export, an import or a clean-up waits for another one to end.
inline constexpr std::chrono::seconds kLockTimeout{5};

// The lock of operations that change many ratings of a site. Only one of them runs at a time, so
// that they do not undo each other's changes, and the database of the CMS has at most one such
// session. Errors: db::Busy - the lock was not free within "timeout".
[[nodiscard]] inline db::ServerLock lock_changes(db::Connection& connection,
                                                 const std::string& table_prefix,
                                                 std::chrono::seconds timeout) {
  return {
      connection, table_prefix + "ratingd_changes", timeout,
      "Another import, clean-up or nightly maintenance runs. Please try again when it is done."};
}

}  // namespace transfer
