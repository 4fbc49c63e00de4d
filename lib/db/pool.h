#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/leadership.h"
#include "base/mutex.h"
#include "base/stopwatch.h"
#include "db/connection.h"

namespace db {

// A bounded pool of sessions for short reads, opened on first use. The pool is small, because the
// database belongs to the CMS; callers wait a bounded time for a free session.
//
// Safe for concurrent use.
class Pool {
 public:
  static constexpr std::chrono::milliseconds kMaxWait{500};

  // "max_wait": how long a caller waits for a free session. A caller that leads hands over before
  // it waits; nullptr: no thread leads.
  Pool(Endpoint endpoint, unsigned sessions, std::chrono::milliseconds max_wait = kMaxWait,
       base::Leadership* leadership = nullptr);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // Runs "work" with an exclusive session and returns its result. If the session turns out to be
  // dead at once (for example because the server was restarted), "work" runs once more on a new
  // session, so it must be safe to repeat. Blocks for at most max_wait plus the endpoint's
  // timeouts.
  //
  // Errors: ConnectionLost - the database is unavailable; SessionsBusy - all sessions or threads
  // stay busy; whatever "work" throws.
  template <typename Work>
  auto with_session(Work&& work) {
    return with_lease([&](Lease& lease) { return work(lease.connection()); });
  }

  // The exclusive use of a session, which may be interrupted. Used by one thread.
  class Lease {
   public:
    explicit Lease(Pool& pool) : pool_(pool) { acquire(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { release(); }

    // Valid until release(), after which it waits for a session again.
    Connection& connection();
    // Gives the session back, for others to use while the caller waits for something else.
    void release();

   private:
    friend class Pool;
    void acquire();
    void discard() { connection_.reset(); }

    Pool& pool_;
    bool is_held_ = false;
    base::Stopwatch age_;  // since the latest acquisition began
    std::unique_ptr<Connection> connection_;
  };

  // As with_session(), for work that waits for something else in between.
  template <typename Work>
  auto with_lease(Work&& work) {
    Lease lease(*this);
    try {
      return work(lease);
    } catch (const ConnectionLost&) {
      lease.discard();
      if (lease.age_.elapsed() >= max_wait_) throw;
    }
    try {
      return work(lease);
    } catch (const ConnectionLost&) {
      lease.discard();
      throw;
    }
  }

  // Lets another thread lead, since the calling thread is about to wait for other users of the
  // pool. Errors: ConnectionLost - all threads are busy.
  void prepare_to_wait() const;

  [[nodiscard]] std::chrono::milliseconds max_wait() const { return max_wait_; }

  // The numbers of sessions in use and of open idle sessions.
  struct Sessions {
    std::size_t busy, idle;
  };
  [[nodiscard]] Sessions sessions() const;

 private:
  const Endpoint endpoint_;
  const unsigned max_sessions_;
  const std::chrono::milliseconds max_wait_;
  base::Leadership* const leadership_;
  mutable base::Mutex mutex_;
  base::Condition given_back_;
  unsigned free_ GUARDED_BY(mutex_);  // leases that may still be taken
  std::vector<std::unique_ptr<Connection>> idle_ GUARDED_BY(mutex_);  // open and unused
};

}  // namespace db
