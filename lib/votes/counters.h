#pragma once

#include <cstdint>

#include "db/connection.h"
#include "votes/batch_rows.h"

// DESIGN. The functions in this file update the counters for the shared limits during a batch of
// votes. First, a batch reserves room in each limit for all votes that could count towards the
// limit. One statement adds the reservations to the counters and thereby locks the counters' rows
// until the commit. If any counter already existed, a second statement reads the new values of the
// counters. If two writers use the same counter, the second writer waits until the first writer
// commits, and then sees the first writer's changes. Unused reservations are rare, and the batch
// subtracts them from the counters in the same transaction. Counters with the value 0 are deleted.
//
// All functions throw the same exceptions as db::Connection.
namespace votes {

// Deletes up to 500 counters whose time windows ended earlier than "before".
void delete_old_counters(db::Connection& connection, base::Time before);

// Adds the reservations to the counters in the database, in key order, and reads the previous
// counts.
void lock_counters(db::Connection& connection, Allowances& allowances);
// While a batch collects statements (db/multi_statement.h), call begin_lock_counters() and
// end_lock_counters() instead of lock_counters(). If any vote can count towards a limit,
// begin_lock_counters() adds one statement. After the statement from begin_lock_counters() has run,
// pass the number of changed rows to end_lock_counters() as "changed".
void begin_lock_counters(db::Connection& connection, const Allowances& allowances);
void end_lock_counters(db::Connection& connection, std::int64_t changed, Allowances& allowances);

// Subtracts the unused reservations from the counters, which must be locked.
void settle_counters(db::Connection& connection, const Allowances& allowances);

}  // namespace votes
