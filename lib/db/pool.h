#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/stopwatch.h"
#include "db/connection.h"

namespace db {

// A bounded set of sessions for short reads, opened when first needed. The database is the CMS's,
// so they are few: who finds none free waits, for a bounded time.
//
// Safe for concurrent use.
class Pool {
 public:
  static constexpr std::chrono::milliseconds kPatience{500};

  // "patience": how long a caller waits for a free session.
  Pool(Endpoint endpoint, unsigned sessions, std::chrono::milliseconds patience = kPatience);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // Runs "work" with a session of its own and returns what it returns. When the session turns out
  // to be dead at once (a server that was restarted), "work" is run once more on a new one, so it
  // must be safe to repeat. Blocks for at most the patience, plus the endpoint's time-outs.
  //
  // Errors: ConnectionLost - the database is away or all sessions stay busy; what "work" throws.
  template <typename Work>
  auto with_session(Work&& work) {
    const base::Stopwatch stopwatch;
    Lease lease(*this);
    try {
      return work(lease.connection());
    } catch (const ConnectionLost&) {
      lease.discard();
      if (stopwatch.elapsed() >= patience_) throw;
    }
    try {
      return work(lease.connection());
    } catch (const ConnectionLost&) {
      lease.discard();
      throw;
    }
  }

  [[nodiscard]] std::chrono::milliseconds patience() const { return patience_; }

  // How many sessions work at this moment, and how many are open besides.
  struct Sessions {
    std::size_t busy, idle;
  };
  [[nodiscard]] Sessions sessions() const;

 private:
  // A session for one user at a time, given back on every path.
  class Lease {
   public:
    explicit Lease(Pool& pool);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();

    Connection& connection();
    void discard();

   private:
    Pool& pool_;
    std::unique_ptr<Connection> connection_;
  };

  const Endpoint endpoint_;
  const unsigned most_;
  const std::chrono::milliseconds patience_;
  mutable base::Mutex mutex_;
  base::Condition given_back_;
  unsigned free_ GUARDED_BY(mutex_);  // leases that may still be taken
  std::vector<std::unique_ptr<Connection>> idle_ GUARDED_BY(mutex_);  // open and unused
};

}  // namespace db
