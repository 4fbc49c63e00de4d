#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/stopwatch.h"
#include "db/connection.h"
#include "runtime/leadership.h"

namespace db {

// A bounded pool of sessions for short work, opened on first use. The pool is small, because the
// database belongs to the CMS; callers wait a bounded time for a free session, and get it in the
// order of their arrival. Copies share the sessions.
//
// Safe for concurrent use.
class Pool {
 public:
  static constexpr std::chrono::milliseconds kMaxWait{500};

  // "max_wait": how long a caller waits for a free session. A caller that leads hands over before
  // it waits; nullptr: no thread leads.
  Pool(Endpoint endpoint, unsigned sessions, std::chrono::milliseconds max_wait = kMaxWait,
       runtime::Leadership* leadership = nullptr);
  Pool(const Pool&) = default;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // The same sessions, for the tables with this prefix: the result and its copies use at most
  // "most" of them at the same time, while at most "most_waiting" callers wait for one.
  [[nodiscard]] Pool for_tables(const std::string& prefix, unsigned most,
                                unsigned most_waiting) const {
    return {*this, prefix, most, most_waiting};
  }

  // Runs "work" with an exclusive session and returns its result. If the session immediately turns
  // out to be dead (for example because the server was restarted), "work" runs once more on a new
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
    // Errors: SessionsBusy.
    explicit Lease(Pool& pool) : pool_(pool) { acquire(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { release(); }

    // Whether the session is open, as other users of the pool have left it.
    [[nodiscard]] bool is_open() const { return connection_ != nullptr; }
    // Opens the session if need be. Valid until release(), after which it waits for a session
    // again.
    Connection& connection();
    // Gives the session back, for others to use while the caller waits for something else.
    void release();
    // Closes the session: it is not to be used again.
    void discard() { connection_.reset(); }

   private:
    friend class Pool;
    void acquire();

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
      if (lease.age_.elapsed() >= max_wait()) throw;
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

  [[nodiscard]] std::chrono::milliseconds max_wait() const;

  // Closes the idle sessions, and drops the prepared statements of idle sessions, that were not
  // used for "limit". Returns whether there were any.
  bool close_unused(std::chrono::milliseconds limit) const;

  // The numbers of sessions in use and of open idle sessions, and of callers that wait for one.
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
  const std::shared_ptr<Users> users_;  // of this pool and its copies
};

// Runs "work" with a session of "pool" and returns its result; nothing if the database does not
// answer, for callers that can continue without it. Blocks as Pool::with_session().
template <typename Work>
auto try_session(Pool& pool, const Work& work)
    -> std::optional<decltype(work(std::declval<Connection&>()))> {
  try {
    return pool.with_session(work);
  } catch (const Failure&) {
    return std::nullopt;  // the refresher logs it, once
  }
}

}  // namespace db
