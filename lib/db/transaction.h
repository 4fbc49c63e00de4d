#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/crypto.h"
#include "db/connection.h"

namespace db {

// A transaction from its construction to commit(); rolled back if destroyed without one.
class Transaction {
 public:
  // Cannot be committed if a lease of the session was lost (db/lease.h). "connection" must outlive
  // the transaction. Errors: LeaseLost; as Connection.
  explicit Transaction(Connection& connection) : Transaction(connection, {"START TRANSACTION"}) {
    connection_.confirm_leases();
  }
  // The same without a look at leases, begun by the statements "start": for transactions that only
  // read.
  Transaction(Connection& connection, std::initializer_list<const char*> start)
      : connection_(connection) {
    connection_.limit_idle_time(true);
    for (const char* statement : start) connection_.execute(statement);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    try {
      if (open_) connection_.execute("ROLLBACK");
      connection_.limit_idle_time(false);
    } catch (const Failure&) {
      // The session is lost, and the server rolls back by itself.
    }
  }

  // Errors: CommitInDoubt; Conflict, NoRoom - it is rolled back.
  void commit() {
    try {
      connection_.execute("COMMIT");
    } catch (const Conflict&) {
      throw;
    } catch (const NoRoom&) {
      throw;
    } catch (const Failure& failure) {
      throw CommitInDoubt(failure.code(), failure.what());  // who knows what the server has done
    }
    open_ = false;
  }

 private:
  Connection& connection_;
  bool open_ = true;
};

inline constexpr int kUsualAttempts = 10;  // of a transaction that may wait for those of votes

// On a cluster, a transaction conflicts with those of other nodes that are about to commit. This is
// more frequent, and recurs if both are repeated immediately: hence more attempts, after random
// pauses.
inline constexpr int kAttemptsOnCluster = 10;  // for each one with a single server

inline void pause_after_conflict(const Connection& connection) {
  constexpr std::uint64_t kMostMicroseconds = 5000;
  if (!connection.is_multi_primary()) return;
  std::this_thread::sleep_for(std::chrono::microseconds(base::random_u64() % kMostMicroseconds));
}

// Runs "work", again after conflicts: up to "attempts" times in total with a single server. Returns
// what "work" returns. Errors: whatever "work" throws.
template <typename Work>
auto with_attempts(const Connection& connection, int attempts, const Work& work) {
  if (connection.is_multi_primary()) attempts *= kAttemptsOnCluster;
  for (int attempt = 1;; ++attempt) {
    try {
      return work();
    } catch (const Conflict&) {
      if (attempt >= attempts) throw;
    }
    pause_after_conflict(connection);
  }
}

// Runs "work" in a transaction and commits if it returns true; otherwise all is rolled back. It is
// repeated as by with_attempts(), so "work" must be safe to repeat. Returns what "work" has
// returned. Errors: as Transaction; whatever "work" throws.
template <typename Work>
bool in_transaction_if(Connection& connection, int attempts, const Work& work) {
  return with_attempts(connection, attempts, [&] {
    Transaction transaction(connection);
    const bool is_done = work();
    if (is_done) transaction.commit();
    return is_done;
  });
}

// Runs "work" in "transaction", commits, and returns what "work" has returned.
template <typename Work>
auto run_in(Transaction transaction, const Work& work) {
  if constexpr (std::is_void_v<std::invoke_result_t<const Work&>>) {
    work();
    transaction.commit();
  } else {
    auto result = work();
    transaction.commit();
    return result;
  }
}

// As in_transaction_if(), but always commits.
template <typename Work>
auto in_transaction(Connection& connection, int attempts, const Work& work) {
  return with_attempts(connection, attempts, [&] { return run_in(Transaction(connection), work); });
}
template <typename Work>
auto in_transaction(Connection& connection, const Work& work) {
  return in_transaction(connection, kUsualAttempts, work);
}

// A read-only transaction with a consistent snapshot of the moment of this call. "connection" must
// outlive it.
[[nodiscard]] inline Transaction one_snapshot(Connection& connection) {
  return Transaction(connection,
                     {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",  // of this one alone
                      "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"});
}

// Runs "work" in such a transaction. On conflicts it is repeated, as by in_transaction().
template <typename Work>
auto in_snapshot(Connection& connection, const Work& work) {
  return with_attempts(connection, kUsualAttempts,
                       [&] { return run_in(one_snapshot(connection), work); });
}

}  // namespace db
