#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "db/connection.h"

// What nightly maintenance (ratingctl maintain) deletes because of its age: addresses after the
// setting address_retention_days, and single votes after retention_months.
namespace transfer {

// Erases the addresses and the hashes of user agents of votes that were last changed before
// "before". Works in slices of a few hundred votes, each a transaction of its own, so that votes
// never wait long. Stores its progress: it can be interrupted, and the next call reads only newer
// votes. Returns the number of changed votes. Errors: as db::Connection; finished slices stay.
std::int64_t erase_old_addresses(db::Connection& connection, base::Time before);

// Rolls up all ratings that were last changed before "before" into aggregates
// (Aggregation::aggregate), in slices, and returns their number. If it is interrupted, finished
// slices stay; a repeated call continues. Errors: as db::Connection; db::Busy - an import or a
// clean-up runs for long.
std::uint64_t aggregate_old_ratings(db::Connection& connection, base::Time before);

}  // namespace transfer
