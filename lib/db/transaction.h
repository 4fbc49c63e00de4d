#pragma once

#include "db/connection.h"

namespace db {

// A transaction from its construction to commit(); rolled back when it goes without one.
class Transaction {
 public:
  // "connection" must outlive the transaction; "start" is the statement that begins it.
  explicit Transaction(Connection& connection, const char* start = "START TRANSACTION")
      : connection_(connection) {
    connection_.execute(start);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!open_) return;
    try {
      connection_.execute("ROLLBACK");
    } catch (const Failure&) {
      // The session is lost, and the server rolls back by itself.
    }
  }

  // Errors: ConnectionLost - the outcome is unknown; Conflict - it is rolled back.
  void commit() {
    try {
      connection_.execute("COMMIT");
    } catch (const ConnectionLost&) {
      throw;
    } catch (const Conflict&) {
      throw;
    } catch (const Failure& failure) {
      throw ConnectionLost(failure.code(), failure.what());  // who knows what the server has done
    }
    open_ = false;
  }

 private:
  Connection& connection_;
  bool open_ = true;
};

// Runs "work" in a transaction and commits; again, up to "attempts" times in all, when others were
// in the way: so "work" must be safe to repeat. Errors: as Transaction; what "work" throws.
template <typename Work>
void in_transaction(Connection& connection, int attempts, const Work& work) {
  for (int attempt = 1;; ++attempt) {
    try {
      Transaction transaction(connection);
      work();
      transaction.commit();
      return;
    } catch (const Conflict&) {
      if (attempt == attempts) throw;
    }
  }
}

// A transaction whose reads all see the database at one moment, that of this call. For reads alone.
// "connection" must outlive it.
[[nodiscard]] inline Transaction one_snapshot(Connection& connection) {
  connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");  // of the next one alone
  return Transaction(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
}

}  // namespace db
