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

// A transaction that begins in the constructor and ends with commit(). If commit() was not called,
// the destructor rolls the transaction back.
class Transaction {
 public:
  // Begins a transaction that cannot be committed if the session has lost a lease (db/lease.h).
  // "connection" must outlive the transaction. Can throw LeaseLost and the same exceptions as
  // the Connection class.
  explicit Transaction(Connection& connection) : Transaction(connection, {"START TRANSACTION"}) {
    connection_.confirm_leases();
  }
  // Begins a transaction with the statements in "start". Because this constructor does not check
  // leases, use it only for read-only transactions.
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
      // If ROLLBACK fails, the session is lost, and the server itself rolls the transaction back.
    }
  }

  // Throws CommitInDoubt if the outcome is unknown, and Conflict or NoRoom if the transaction was
  // rolled back.
  void commit() {
    try {
      connection_.execute("COMMIT");
    } catch (const Conflict&) {
      throw;
    } catch (const NoRoom&) {
      throw;
    } catch (const Failure& failure) {
      throw CommitInDoubt(failure.code(), failure.what());  // the server may have committed
    }
    open_ = false;
  }

 private:
  Connection& connection_;
  bool open_ = true;
};

inline constexpr int kUsualAttempts = 10;  // for transactions that may conflict with votes

// In a cluster, a transaction conflicts with transactions that are about to commit on other nodes.
// Conflicts are more frequent in a cluster than on a single server, and they recur if both
// transactions are repeated immediately. Therefore, transactions in a cluster get more attempts,
// with random pauses in between.
inline constexpr int kAttemptsOnCluster = 10;  // for each attempt with a single server

inline void pause_after_conflict(const Connection& connection) {
  constexpr std::uint64_t kMostMicroseconds = 5000;
  if (!connection.is_multi_primary()) return;
  std::this_thread::sleep_for(std::chrono::microseconds(base::random_u64() % kMostMicroseconds));
}

// Runs "work" and repeats it after conflicts. On a single server, runs "work" at most "attempts"
// times. In a cluster, multiplies "attempts" by kAttemptsOnCluster. Returns the result of "work".
// Throws any exception thrown by "work".
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

// Runs "work" in a transaction. Commits if "work" returns true, and rolls back if "work" returns
// false. After conflicts, repeats "work", which must be safe to repeat (with_attempts()). Returns
// the result of "work". Can throw the same exceptions as the Transaction class, and any exception
// thrown by "work".
template <typename Work>
bool in_transaction_if(Connection& connection, int attempts, const Work& work) {
  return with_attempts(connection, attempts, [&] {
    Transaction transaction(connection);
    const bool is_done = work();
    if (is_done) transaction.commit();
    return is_done;
  });
}

// Runs "work" in "transaction", commits, and returns the result of "work".
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

// Like in_transaction_if(), but always commits.
template <typename Work>
auto in_transaction(Connection& connection, int attempts, const Work& work) {
  return with_attempts(connection, attempts, [&] { return run_in(Transaction(connection), work); });
}
template <typename Work>
auto in_transaction(Connection& connection, const Work& work) {
  return in_transaction(connection, kUsualAttempts, work);
}

// Begins a read-only transaction with a consistent snapshot of the current state. "connection" must
// outlive the transaction.
[[nodiscard]] inline Transaction one_snapshot(Connection& connection) {
  return Transaction(connection,
                     // The isolation level REPEATABLE READ applies only to this transaction.
                     {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
                      "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"});
}

// Like in_transaction(), but with a read-only transaction from one_snapshot().
template <typename Work>
auto in_snapshot(Connection& connection, const Work& work) {
  return with_attempts(connection, kUsualAttempts,
                       [&] { return run_in(one_snapshot(connection), work); });
}

}  // namespace db
