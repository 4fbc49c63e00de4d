#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "db/connection.h"

namespace db {

// Another session holds the lease. what() is the message that the caller provided.
class Busy : public Conflict {
 public:
  explicit Busy(const std::string& sentence) : Conflict(0, sentence) {}
};

// Another session has taken over the lease, because this one did not renew it in time. The work
// under the lease must end.
class LeaseLost : public Failure {
 public:
  explicit LeaseLost(const std::string& name)
      : Failure(0, "the lease \"" + name +
                       "\" was taken over, because it was not renewed in time; please repeat") {}
};

// DESIGN. A named lock for long operations, held while this object lives: a row with its owner and
// the time when it expires. A server's own named locks (GET_LOCK) would not exclude sessions with
// another node of a cluster (Galera, Group Replication).
//
// A thread renews the lease with a session of its own, so an operation may take as long as it
// needs. A holder that dies without releasing it is replaced after kDuration.
//
// A holder that was stopped may find that it was replaced. So each transaction of its session
// changes the row of the lease first (db::Transaction), if the row still names this owner: it
// cannot be committed after a takeover, on any node. Statements outside of transactions (DDL) call
// confirm() before, and must be safe to repeat.
//
// Times are those of the servers, whose clocks must differ by less than 10 seconds: otherwise a
// holder is replaced too early, which costs its work. See Gray and Cheriton, "Leases" (1989).
//
// LIMIT. A DDL statement that is under way during the takeover, or that a stopped holder sends
// later although it has confirmed before, is not undone. Nothing but a pause of 15 seconds between
// these two calls does that; "ratingctl verify" shows what it did to the rollups.
//
// Used by one thread.
class Lease {
 public:
  static constexpr std::chrono::seconds kDuration{15};

  static void create_table(Connection& connection);

  // Waits up to "max_wait", and up to kDuration longer for a holder that no longer renews its
  // lease; 0 s: does not wait. "connection" must outlive the lease, and not be in a transaction.
  // Errors: Busy with "sentence" - the lease is not free; as Connection.
  Lease(Connection& connection, std::string name, std::chrono::seconds max_wait,
        const std::string& sentence);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  // Renews the lease. Errors: LeaseLost; as Connection.
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
  std::thread renewing_;  // last: uses the other members
};

}  // namespace db
