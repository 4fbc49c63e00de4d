#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "db/connection.h"
#include "votes/rules.h"

namespace votes {

// The lowest primary key of the counters whose windows end at "ends_at", a whole hour.
[[nodiscard]] std::string first_counter_until(base::Time ends_at);

// Deletes up to 500 counters whose windows ended before "before". Errors: as db::Connection.
void delete_old_counters(db::Connection& connection, base::Time before);

// DESIGN. The counters of the shared limits, as one batch uses them. First the batch reserves the
// most that it may need: one statement adds to the counters, which locks their rows until the
// commit. A second statement reads the new values, unless all counters are new. So two writers that
// want the last use of a limit run one after the other, and the second sees what the first used.
// Reservations that were not used are returned in the same transaction, which is rare. Counters
// with the value 0 are deleted. A batch of any size usually needs one or two statements, and none
// if no limit is set.
//
// One object per batch, used by one thread. Errors of functions that use the database: as
// db::Connection.
class Counters {
 public:
  // "connection" must outlive this.
  explicit Counters(db::Connection& connection) : connection_(connection) {}

  // Plans one more use of "limit", unless the caller of the writer counts it.
  void reserve(const SharedLimit& limit);

  // Reserves the planned uses in the database, in key order.
  void lock();
  // The same in two steps, while statements are collected (db/multi_statement.h): adds a statement
  // if any use is planned, and gets the number of rows that it changed.
  void begin_lock();
  void end_lock(std::int64_t changed);

  // How often "limit" has been used in its window, also by this batch. REQUIRES: lock().
  [[nodiscard]] std::int64_t used(const SharedLimit& limit) const;

  // Counts one use. REQUIRES: it was reserved, unless the caller of the writer counts it.
  void use(const SharedLimit& limit);

  // Returns reservations that were not used.
  void settle();

 private:
  using Key = std::string;  // the primary key
  struct Count {
    std::int64_t used = 0;
    std::int64_t reserved = 0;  // and not used yet
  };

  // Returns the number of changed rows: that of "changes" if all of the counters are new.
  std::uint64_t add(const std::map<Key, std::int64_t>& changes);
  [[nodiscard]] std::map<Key, std::int64_t> reserved() const;

  db::Connection& connection_;
  std::map<Key, Count> counts_;
};

}  // namespace votes
