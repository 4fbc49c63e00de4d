#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "votes/vote_request.h"

namespace votes {

// The least primary key of the counters whose windows end at "ends_at", a whole hour.
[[nodiscard]] std::string first_counter_until(base::Time ends_at);

// The texts of the statements on the counters, made once.
struct CounterStatements {
  explicit CounterStatements(const std::string& table_prefix);

  db::BulkStatement add, read, remove;
};

// DESIGN. What a batch takes from the allowances that many voters share. First it reserves all that
// it may need: one statement adds to the counters and so locks their rows until the commit, another
// reads what they have come to, unless all are new. So two writers who want the last of an
// allowance come one after the other, and the second sees what the first took. What was not needed
// after all is given back in the same transaction, which is rare, and a counter that counts nothing
// does not stay: mostly there are one or two statements whatever the batch's size, and none if
// nothing is limited.
//
// Of one batch, used by one thread. Errors of all that talks to the database: as db::Connection.
class Counters {
 public:
  // Both must outlive this.
  Counters(db::Connection& connection, const CounterStatements& statements)
      : connection_(connection), statements_(statements) {}

  // Plans one more use of "allowance", if it is counted here at all.
  void reserve(const Allowance& allowance);

  // Reserves in the database what was planned, in key order.
  void lock();

  // How often "allowance" has been used in its window, by this batch too. REQUIRES: lock().
  [[nodiscard]] std::int64_t used(const Allowance& allowance) const;

  // Counts one use. REQUIRES: it was reserved, if it is counted here at all.
  void use(const Allowance& allowance);

  // Gives back what was reserved and not used.
  void settle();

 private:
  using Key = std::string;  // the primary key
  struct Count {
    std::int64_t used = 0;
    std::int64_t reserved = 0;  // and not used yet
  };

  // Returns whether none of the counters was there before.
  bool add(const std::map<Key, std::int64_t>& changes);

  db::Connection& connection_;
  const CounterStatements& statements_;
  std::map<Key, Count> counts_;
};

}  // namespace votes
