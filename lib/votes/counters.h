#pragma once

#include <cstdint>

#include "db/connection.h"
#include "votes/batch_rows.h"

// DESIGN. The counters for the shared limits, as one batch uses them. First, the batch reserves as
// many uses as it may need. One statement adds the reservations to the counters, which locks their
// rows until the commit. A second statement reads the new values, unless all counters are new. So
// if two writers want the last use of a limit, they run one after the other, and the second writer
// sees the uses of the first. If reservations are left over, which is rare, they are returned in
// the same transaction. Counters with the value 0 are deleted. A batch of any size usually needs
// one or two statements, and none if no limit is set.
//
// Errors (all functions): as db::Connection.
namespace votes {

// Deletes up to 500 counters whose windows ended before "before".
void delete_old_counters(db::Connection& connection, base::Time before);

// Reserves the planned uses in the database, in key order, and reads the number of earlier uses.
void lock_counters(db::Connection& connection, Allowances& allowances);
// Do the same as lock_counters() in two steps, while statements are collected
// (db/multi_statement.h). If any use is planned, begin_lock_counters() adds a statement. "changed"
// is the number of rows that this statement changed.
void begin_lock_counters(db::Connection& connection, const Allowances& allowances);
void end_lock_counters(db::Connection& connection, std::int64_t changed, Allowances& allowances);

// Returns the reservations that were not used. REQUIRES: the counters are locked.
void settle_counters(db::Connection& connection, const Allowances& allowances);

}  // namespace votes
