#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "api/app.h"
#include "base/clock.h"

namespace fcgi {

// The threads that accept connections and answer requests.
//
// An idle thread sleeps in accept() or in poll() on its connection, never inside libfcgi, and looks
// up at least each kIdleWait to see whether it should stop. So stopping needs no signal to any
// thread, and a request that has begun to arrive is always answered.
//
// stop() is safe to call from any thread.
class Worker {
 public:
  // "listener" is a listening socket; "app" and "clock" must outlive the worker.
  Worker(int listener, const api::App& app, const base::Clock& clock);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Stops, and waits until all requests that have begun are answered.
  ~Worker();

  // Starts "threads" threads. Throws std::system_error when there cannot be as many. Called once.
  void start(unsigned threads);

  // Takes no new connection from now on and lets idle ones go.
  void stop() { stopping_ = true; }

  // How many threads are at work on a request.
  [[nodiscard]] unsigned busy() const { return busy_; }

  // Whether all threads have ended, after stop().
  [[nodiscard]] bool is_idle() const { return running_ == 0; }

 private:
  void run();
  void serve_connection(int connection);
  [[nodiscard]] bool wait_for_request(int connection, bool is_new) const;

  const int listener_;
  const api::App& app_;
  const base::Clock& clock_;
  std::atomic<bool> stopping_ = false;
  std::atomic<unsigned> running_ = 0;
  std::atomic<unsigned> busy_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace fcgi
