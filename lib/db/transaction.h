#pragma once

#include "db/connection.h"

namespace db {

// A transaction from its construction to commit(); rolled back when it goes without one.
class Transaction {
 public:
  // "connection" must outlive the transaction.
  explicit Transaction(Connection& connection) : connection_(connection) {
    connection_.execute("START TRANSACTION");
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

  // Errors: as Connection; after ConnectionLost the outcome is unknown.
  void commit() {
    connection_.execute("COMMIT");
    open_ = false;
  }

 private:
  Connection& connection_;
  bool open_ = true;
};

// One consistent view of all tables, of the moment it is made, for reading, as long as this lives.
class Snapshot {
 public:
  // "connection" must outlive it.
  explicit Snapshot(Connection& connection) : connection_(connection) {
    connection_.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    connection_.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() {
    try {
      connection_.execute("ROLLBACK");
    } catch (const Failure&) {
      // The session is lost, and its view with it.
    }
  }

 private:
  Connection& connection_;
};

// Runs "work" in a transaction and commits; again, up to "attempts" times in all, when others were
// in the way.
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

}  // namespace db
