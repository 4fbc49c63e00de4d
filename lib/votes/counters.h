#pragma once

#include <cstdint>

#include "db/connection.h"
#include "votes/batch_rows.h"

// DESIGN. The functions with which a batch uses the counters for the shared limits. First, the
// batch reserves as many uses as it may need. One statement adds the reservations to the counters
// and thereby locks their rows until the commit. A second statement reads the new values, unless
// all counters are new. If two writers compete for the last use of a limit, the second writer waits
// for the first one's commit and then sees its uses. Unused reservations are rare, and the batch
// returns them in the same transaction. Counters with the value 0 are deleted. A batch of any size
// usually needs one or two statements. If no limit is set, it needs no statement.
//
// Errors (all functions): same as db::Connection.
namespace votes {

// Deletes up to 500 counters whose windows ended before "before".
void delete_old_counters(db::Connection& connection, base::Time before);

// Reserves the planned uses in the database, in key order, and reads how many uses came earlier.
void lock_counters(db::Connection& connection, Allowances& allowances);
// These two functions do the same as lock_counters() while statements are collected
// (db/multi_statement.h). begin_lock_counters() adds a statement if any use is planned. "changed"
// is the number of rows that this statement has changed.
void begin_lock_counters(db::Connection& connection, const Allowances& allowances);
void end_lock_counters(db::Connection& connection, std::int64_t changed, Allowances& allowances);

// Gives the unused reservations back to the counters. REQUIRES: the counters are locked.
void settle_counters(db::Connection& connection, const Allowances& allowances);

}  // namespace votes
