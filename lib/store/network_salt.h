#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "db/connection.h"
#include "model/settings.h"

// The salt in the ids of voters who are recognized only by their network (identity/requester.h).
// All hosts for a site share the salt through the table ratingd_state. Without the salt, nobody can
// compute which address and user agent an id belongs to. So the salt lives only a short time, and
// backups do not contain it.
namespace store {

inline constexpr std::string_view kNetworkSalt = "network_salt";  // the row's name in ratingd_state

// Returns how long a salt is used: for the window that the limits per address use, but not longer
// than addresses are kept. If no addresses are stored, it is used for at most a day.
[[nodiscard]] std::chrono::seconds life_of_salt(const model::Settings& settings);

// Returns the salt in the row "value" in ratingd_state: 64 hexadecimal digits. The result is empty
// if the salt is older than "life" at "now", if its time is more than an hour after "now", or if
// the row is damaged.
[[nodiscard]] std::string salt_in(std::string_view value, base::Time now,
                                  std::chrono::seconds life);

// Returns the site's salt. If there is no salt, or if it is too old, stores a new random salt
// first. If several hosts call this concurrently, all return the same salt. The clock is the
// database's. Errors: as db::Connection.
[[nodiscard]] std::string current_salt(db::Connection& connection, std::chrono::seconds life);

// Deletes the salt if it is too old. This is needed because nobody replaces the salt for a site
// that gets no requests. Errors: as db::Connection.
void delete_old_salt(db::Connection& connection, std::chrono::seconds life);

}  // namespace store
