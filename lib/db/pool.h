#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "db/connection.h"
#include "runtime/leadership.h"

namespace db {

// A pool with a limited number of sessions for short operations. A session is opened when it is
// first needed. The pool is small because ratingd shares the database server with the CMS. Callers
// wait a limited time for a free session and are served in order of arrival. Copies of a pool share
// its sessions.
//
// Safe for concurrent use.
class Pool {
 public:
  static constexpr std::chrono::milliseconds kMaxWait{500};

  // "max_wait" is the maximum time that a caller waits for a free session. If "leadership" is not
  // null, a leader thread (runtime/leadership.h) hands over its role before waiting for a session.
  Pool(Endpoint endpoint, unsigned sessions, std::chrono::milliseconds max_wait = kMaxWait,
       runtime::Leadership* leadership = nullptr);
  Pool(const Pool&) = default;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // Returns a pool that shares this pool's sessions but uses the tables with the given prefix.
  // "most" is the maximum number of sessions that the new pool and its copies can use at a time,
  // and "most_waiting" is the maximum number of waiting callers.
  [[nodiscard]] Pool for_tables(const std::string& prefix, unsigned most,
                                unsigned most_waiting) const {
    return {*this, prefix, most, most_waiting};
  }

  // Runs "work" with an exclusive session and returns its result. If the session is lost within
  // max_wait (for example, because the server was restarted), runs "work" once more with a new
  // session. Therefore, "work" must be safe to repeat. Blocks for at most max_wait plus the
  // endpoint's timeouts.
  //
  // Throws ConnectionLost if the database is unavailable, and SessionsBusy if all sessions or
  // threads stay busy. Also throws any exception thrown by "work".
  template <typename Work>
  auto with_session(Work&& work) {
    return with_lease([&](Lease& lease) { return work(lease.connection()); });
  }

  // Grants exclusive use of a session. The caller can release the session temporarily. Not safe for
  // concurrent use.
  class Lease {
   public:
    // Throws SessionsBusy if no session becomes free in time.
    explicit Lease(Pool& pool) : pool_(pool) { acquire(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { release(); }

    // Returns whether the lease holds a session that is already open.
    [[nodiscard]] bool is_open() const { return connection_ != nullptr; }
    // Returns the session, which is valid until release(). Waits for a free session and opens the
    // session if necessary.
    Connection& connection();
    // Returns the session to the pool, so that other threads can use the session.
    void release();
    // Closes the session, which must not be used again.
    void discard() { connection_.reset(); }

   private:
    friend class Pool;
    void acquire();

    Pool& pool_;
    bool is_held_ = false;
    base::Stopwatch age_;  // since the last acquisition began
    std::unique_ptr<Connection> connection_;
  };

  // Like with_session(), but "work" receives a Lease and can release the session temporarily.
  template <typename Work>
  auto with_lease(Work&& work) {
    Lease lease(*this);
    try {
      return work(lease);
    } catch (const ConnectionLost&) {
      lease.discard();
      if (lease.age_.elapsed() >= max_wait()) throw;
    }
    try {
      return work(lease);
    } catch (const ConnectionLost&) {
      lease.discard();
      throw;
    }
  }

  // Call this function before the calling thread waits for a session. If the calling thread is the
  // leader (runtime/leadership.h), another thread becomes the leader. Throws SessionsBusy if all
  // threads are busy.
  void prepare_to_wait() const;

  [[nodiscard]] std::chrono::milliseconds max_wait() const;

  // Closes sessions that have been idle for at least "limit". In other idle sessions, drops
  // prepared statements that have been unused for at least "limit". Returns whether anything was
  // closed or dropped.
  bool close_unused(std::chrono::milliseconds limit) const;

  // The number of sessions in use, the number of open idle sessions, and the number of callers
  // waiting for a session.
  struct Sessions {
    std::size_t busy, idle, waiting;
  };
  [[nodiscard]] Sessions sessions() const;

 private:
  struct Shared;
  struct Users;

  Pool(const Pool& other, std::string prefix, unsigned most, unsigned most_waiting);

  const std::shared_ptr<Shared> shared_;
  const std::string table_prefix_;
  const std::shared_ptr<Users> users_;  // shared by this pool and its copies
};

// Runs "work" with a session from "pool" and returns its result. Returns nothing if the database
// fails. Use try_session() if the caller can continue without a result. Blocks like
// Pool::with_session().
template <typename Work>
auto try_session(Pool& pool, const Work& work)
    -> std::optional<decltype(work(std::declval<Connection&>()))> {
  try {
    return pool.with_session(work);
  } catch (const Failure&) {
    return std::nullopt;  // the refresher logs the failure once
  }
}

}  // namespace db
