#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "db/connection.h"

namespace db {

// Thrown if another session holds the lease. The what() function returns the message that the
// caller provided.
class Busy : public Conflict {
 public:
  explicit Busy(const std::string& sentence) : Conflict(0, sentence) {}
};

// Thrown if another session has taken over the lease because the lease was not renewed in time. The
// operation protected by the lease must stop.
class LeaseLost : public Failure {
 public:
  explicit LeaseLost(const std::string& name)
      : Failure(0, "the lease \"" + name +
                       "\" was taken over, because it was not renewed in time; please repeat") {}
};

// DESIGN. A named lock for long operations. A session holds the lease as long as the Lease object
// exists. A lease is a database row that contains the owner and the time at which the lease
// expires. A server's own named locks (GET_LOCK) would not exclude sessions on another node in a
// cluster (Galera, Group Replication).
//
// A thread renews the lease in a separate session, so an operation may take any length of time. If
// a holder dies without releasing the lease, another session can take over the lease after
// kDuration.
//
// If a holder's process was stopped for a while, another session may have taken over the lease.
// Therefore, each transaction in the holder's session first changes the lease's row
// (db::Transaction) and fails if the row names another owner. As a result, a former holder cannot
// commit transactions on any node after a takeover. Call confirm() before each statement that runs
// outside of transactions (DDL). DDL statements must be safe to repeat.
//
// All times are read from the database servers' clocks. The servers' clocks must differ by less
// than 10 seconds. If the clocks differ by more than 10 seconds, a holder may lose the lease too
// early and must repeat its work. See Gray and Cheriton, "Leases" (1989).
//
// LIMIT. If another session takes over the lease while the previous holder's DDL statement is
// running, the statement is not undone. A holder that pauses for 15 seconds between confirm() and a
// DDL statement can even send the statement after the takeover. The command "ratingctl verify"
// shows whether a former holder's DDL statement has damaged the rollups.
//
// Not safe for concurrent use.
class Lease {
 public:
  static constexpr std::chrono::seconds kDuration{15};

  static void create_table(Connection& connection);

  // Waits up to "max_wait" for the lease. If the holder has stopped renewing the lease, waits up to
  // "max_wait" + kDuration. If "max_wait" is 0, does not wait at all. "connection" must outlive the
  // lease and must not be in a transaction. If another session still holds the lease, throws Busy
  // with "sentence" as the message. Can also throw the same exceptions as the Connection class.
  Lease(Connection& connection, std::string name, std::chrono::seconds max_wait,
        const std::string& sentence);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  // Renews the lease. Can throw LeaseLost and the same exceptions as the Connection class.
  void confirm();

 private:
  [[nodiscard]] bool try_take(std::set<std::uint64_t>& generations);
  bool renew(Connection& connection);
  bool release(Connection& connection);
  void keep_renewing();
  [[nodiscard]] bool is_over_within(std::chrono::milliseconds duration);

  Connection& connection_;
  const std::string name_;
  const std::uint64_t owner_;
  base::Mutex mutex_;
  base::Condition over_;
  bool is_over_ GUARDED_BY(mutex_) = false;
  std::thread renewing_;  // must be the last member because the thread uses the other members
};

}  // namespace db
