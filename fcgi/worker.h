#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "api/app.h"
#include "base/clock.h"
#include "fcgi/connections.h"
#include "fcgi/sites.h"
#include "fcgi/waiting_requests.h"
#include "runtime/metrics.h"

namespace fcgi {

// DESIGN. One thread accepts connections. One of the other threads is the leader
// (runtime/leadership.h). The leader reads requests one after the other from the connections with
// input. The leader answers all requests except votes immediately. The leader passes each vote to
// the vote writer and answers after the vote has been written. Therefore, neither idle connections
// nor waiting votes occupy a thread. If the leader must wait while it answers a request, for
// example for the database, another thread becomes the leader first. The last free thread never
// waits: it rejects each request that would have to wait, and answers all other requests.
//
// The leader checks at least every kIdleWait whether it should stop, so no thread needs a signal to
// stop. After stop(), the leader still answers waiting votes and requests that have begun to
// arrive. As soon as no more input arrives and no vote is waiting, the leader closes idle
// connections, even if other requests are still running.
//
// The stop() function is safe to call from any thread.
class Worker {
 public:
  // "listener" is a listening socket. "sites" and "clock" must outlive the worker. Throws
  // std::runtime_error.
  Worker(int listener, Sites& sites, const base::Clock& clock);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Stops the worker and blocks until all requests in progress have been answered.
  ~Worker();

  // Starts the threads. Up to "threads" requests can block at the same time, for example while they
  // wait for the database. Throws std::system_error if threads cannot be started. Must be called
  // only once.
  void start(unsigned threads);

  // Makes the worker stop accepting connections and close idle connections.
  void stop() { stopping_ = true; }

  // Stops the worker and waits up to "limit" for all threads to end. Returns false if some threads
  // are still running.
  [[nodiscard]] bool drain(std::chrono::milliseconds limit);

  // Returns the number of threads that are blocked while answering a request, for example by the
  // database.
  [[nodiscard]] std::size_t busy() const { return app_.front.leadership.busy(); }

  // Returns the number of votes whose requests have not been answered yet.
  [[nodiscard]] std::size_t unanswered_votes() const { return waiting_.size(); }

  // Claims a slot in the list of workers on this host, for /metrics (runtime/metrics.h). If no slot
  // is free, only logs a message, and /metrics does not show this process. Must be called only
  // once, before start().
  void join(runtime::Workers& workers) const;

  // Publishes this process's state in its slot in the list of workers.
  void publish(runtime::Workers& workers) const;

  // Returns whether all threads have ended after stop().
  [[nodiscard]] bool is_idle() const { return running_ == 0; }

 private:
  void accept_connections();
  void accept_one();
  void leave_to_idle_workers() const;
  void wait_for_room();
  void answer_requests();
  bool lead();
  void report_refusals();
  bool has_time_to_arrive_passed();
  template <typename Work>
  void guarded(const Work& work);
  void begin(const Connections::Connection& connection);
  void begin(std::unique_ptr<OpenRequest> request, const api::App& app);
  void write(std::unique_ptr<OpenRequest> request, votes::VoteRequest vote_request);
  void finish(std::unique_ptr<OpenRequest> request);
  void answer(OpenRequest& request, const http::Response& response);

  const int listener_;
  Sites& sites_;
  const api::App& app_;  // the first site; used for everything that the sites share
  const base::Clock& clock_;
  const std::size_t max_connections_;
  Connections connections_;
  WaitingRequests waiting_;
  unsigned threads_that_may_wait_ = 0;                // the argument to start()
  std::optional<base::Stopwatch> since_last_accept_;  // used only by the leader
  std::size_t reported_refusals_ = 0;                 // used only by the leader
  std::optional<base::Stopwatch> since_report_;       // used only by the leader
  bool was_full_ = false;                             // used only by the accepting thread
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> accepting_ = true;
  std::atomic<bool> has_ended_ = false;  // the leader has found nothing left to do
  std::atomic<unsigned> running_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace fcgi
