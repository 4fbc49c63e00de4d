#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "db/connection.h"

namespace transfer {

// Erases the addresses, and the hashes of user agents, of the votes that were last changed before
// "before", in slices of some hundred votes, each a transaction of its own, so that votes being
// cast do not wait. It notes how far it has come: it can be interrupted, and the next time it looks
// at newer votes only. Returns how many it has erased. Errors: as db::Connection; what is done
// stays.
std::int64_t erase_old_addresses(db::Connection& connection, const std::string& table_prefix,
                                 base::Time before);

}  // namespace transfer
