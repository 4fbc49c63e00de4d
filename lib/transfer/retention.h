#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "db/connection.h"

// Deletes old data during nightly maintenance (ratingctl maintain). The setting
// address_retention_days is the age at which addresses are erased. The setting retention_months is
// the age at which single votes are aggregated.
namespace transfer {

// Erases the addresses and user agent hashes in votes that were last changed before "before". Works
// in slices of a few hundred votes, each in a separate transaction, so that votes never wait long.
// Stores its progress, so it can be interrupted, and the next call reads only newer votes. Returns
// the number of changed votes. Errors: as db::Connection. After an error, the addresses in finished
// slices stay erased.
std::int64_t erase_old_addresses(db::Connection& connection, base::Time before);

// Aggregates all ratings that were last changed before "before" (Aggregation::aggregate()), in
// slices. Returns the number of these ratings. After an interruption, finished slices stay
// aggregated, and a repeated call continues. Errors: as db::Connection. Throws db::Busy if a
// running import or clean-up does not end in time.
std::uint64_t aggregate_old_ratings(db::Connection& connection, base::Time before);

}  // namespace transfer
