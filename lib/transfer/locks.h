#pragma once

#include <chrono>
#include <string>

#include "db/connection.h"
#include "db/server_lock.h"

namespace transfer {

// How long an export, an import or a clean-up waits for another one: many take no longer.
inline constexpr std::chrono::seconds kLockPatience{5};

// What changes many ratings of a site takes turns by this lock, so that none of them undoes what
// another counts on, and the CMS's database has one such session to bear at most. Errors: db::Busy
// - it is not to be had within "patience".
[[nodiscard]] inline db::ServerLock lock_changes(db::Connection& connection,
                                                 const std::string& table_prefix,
                                                 std::chrono::seconds patience) {
  return {
      connection, table_prefix + "ratingd_changes", patience,
      "Another import, clean-up or nightly maintenance runs. Please try again when it is done."};
}

}  // namespace transfer
