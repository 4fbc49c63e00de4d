#pragma once

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "api/app.h"
#include "base/clock.h"
#include "fcgi/connections.h"

namespace fcgi {

// DESIGN. One thread accepts connections. The other threads each take the next connection on which
// a request has arrived, answer that one request and release the connection. So a thread is
// occupied by a request and never by an idle connection, and a busy worker goes from one request to
// the next without sleeping.
//
// An idle thread never sleeps inside libfcgi, and checks at least every kIdleWait whether it should
// stop. So stopping needs no signal to any thread. A request that has begun to arrive is answered.
// Once no input arrives, idle connections are closed at once, even while other requests are still
// running.
//
// stop() is safe to call from any thread.
class Worker {
 public:
  // "listener" is a listening socket; "app" and "clock" must outlive the worker. Throws
  // std::runtime_error.
  Worker(int listener, const api::App& app, const base::Clock& clock);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Stops, and blocks until all requests that have begun are answered.
  ~Worker();

  // Starts "threads" threads that answer requests. Throws std::system_error if they cannot be
  // started. Called once.
  void start(unsigned threads);

  // From now on accepts no connections and closes idle ones.
  void stop() { stopping_ = true; }

  // Stops, and waits for all threads to end, at most "limit". False if some are still running.
  [[nodiscard]] bool drain(std::chrono::milliseconds limit);

  // The number of threads that are answering a request.
  [[nodiscard]] unsigned busy() const { return connections_.held(); }

  // Whether all threads have ended, after stop().
  [[nodiscard]] bool is_idle() const { return running_ == 0; }

 private:
  void accept_connections();
  void accept_one();
  void leave_to_idle_workers() const;
  void wait_for_room();
  void answer_requests();
  void answer_one(const Connections::Connection& connection);

  const int listener_;
  const api::App& app_;
  const base::Clock& clock_;
  const std::size_t max_connections_;
  Connections connections_;
  std::size_t answering_threads_ = 0;  // the argument of start()
  bool was_full_ = false;              // used by the accepting thread only
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> accepting_ = true;
  std::atomic<unsigned> running_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace fcgi
