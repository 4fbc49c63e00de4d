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
  // Errors: ConnectionLost - the database is unavailable, or all sessions or all threads stay busy;
  // whatever "work" throws.
  template <typename Work>
  auto with_session(Work&& work) {
    const base::Stopwatch stopwatch;
    Lease lease(*this);
    try {
      return work(lease.connection());
    } catch (const ConnectionLost&) {
      lease.discard();
      if (stopwatch.elapsed() >= max_wait_) throw;
    }
    try {
      return work(lease.connection());
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
  // Exclusive use of a session, returned by the destructor.
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
  const unsigned max_sessions_;
  const std::chrono::milliseconds max_wait_;
  base::Leadership* const leadership_;
  mutable base::Mutex mutex_;
  base::Condition given_back_;
  unsigned free_ GUARDED_BY(mutex_);  // leases that may still be taken
  std::vector<std::unique_ptr<Connection>> idle_ GUARDED_BY(mutex_);  // open and unused
};

}  // namespace db
