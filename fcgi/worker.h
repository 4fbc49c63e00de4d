#pragma once

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "api/app.h"
#include "base/clock.h"
#include "fcgi/connections.h"

namespace fcgi {

// DESIGN. One thread accepts connections; the others take, whoever is free, the next connection on
// which a request has arrived, answer that one request and give the connection back. So a thread is
// held by a request and never by an idle connection, and a busy worker goes from one request to the
// next without sleeping in between.
//
// An idle thread never sleeps inside libfcgi, and looks up at least each kIdleWait to see whether
// it should stop. So stopping needs no signal to any thread. A request that has begun to arrive is
// answered; when nothing arrives any more, idle connections are closed at once, however long the
// requests take that are still under way.
//
// stop() is safe to call from any thread.
class Worker {
 public:
  // "listener" is a listening socket; "app" and "clock" must outlive the worker. Throws
  // std::runtime_error.
  Worker(int listener, const api::App& app, const base::Clock& clock);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Stops, and waits until all requests that have begun are answered.
  ~Worker();

  // Starts "threads" threads that answer. Throws std::system_error when there cannot be as many.
  // Called once.
  void start(unsigned threads);

  // Takes no new connection from now on and lets idle ones go.
  void stop() { stopping_ = true; }

  // Stops, and waits until all threads have ended, "limit" at most. False if some have not.
  [[nodiscard]] bool drain(std::chrono::milliseconds limit);

  // How many threads are at work on a request.
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
  const std::size_t most_connections_;
  Connections connections_;
  std::size_t answering_threads_ = 0;  // as start() was told
  bool was_full_ = false;              // of the accepting thread alone
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> accepting_ = true;
  std::atomic<unsigned> running_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace fcgi
