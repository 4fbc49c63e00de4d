#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "dispatch/serve.h"
#include "fcgi/connections.h"
#include "fcgi/exchange.h"
#include "fcgi/service.h"
#include "votes/vote_queue.h"

namespace fcgi {

// A request whose response has not been sent yet, and the connection that the request holds. The
// destructor closes the connection unless keep_connection() was called. Must be used by only one
// thread at a time.
class OpenRequest {
 public:
  // "connection" must have been returned by connections.next(). "connections" must outlive this
  // object.
  OpenRequest(Connections& connections, const Connections::Connection& connection)
      : exchange(connection.socket), connections_(connections), connection_(connection) {}
  OpenRequest(const OpenRequest&) = delete;
  OpenRequest& operator=(const OpenRequest&) = delete;
  ~OpenRequest() {
    if (!is_kept_) connections_.remove(connection_);
  }

  [[nodiscard]] int socket() const { return connection_.socket; }

  // Keeps the connection open for further requests, which other threads may answer from now on.
  // Call this function last, after exchange.answer(). Throws std::system_error.
  void keep_connection() {
    connections_.release(connection_);
    exchange.keep_open();
    is_kept_ = true;
  }

  std::shared_ptr<Service> service;  // the site's service; set once the request is read
  Exchange exchange;
  std::optional<dispatch::Serving> serving;             // set once the request is read
  std::shared_ptr<votes::VoteQueue::PendingVote> vote;  // set if the request is a vote

 private:
  Connections& connections_;
  const Connections::Connection connection_;
  bool is_kept_ = false;
};

// Requests that occupy no thread while their votes are being written.
//
// Safe for concurrent use.
class WaitingRequests : public votes::VoteQueue::Listener {
 public:
  using Requests = std::vector<std::unique_ptr<OpenRequest>>;

  // "deadline" is the maximum time that a request waits. "wake" is called when votes are complete.
  // "wake" must not block.
  WaitingRequests(std::chrono::milliseconds deadline, std::function<void()> wake);

  // Adds a request and returns its vote, which the caller must then push to the vote queue. Another
  // thread may take the request immediately.
  std::shared_ptr<votes::VoteQueue::PendingVote> add(std::unique_ptr<OpenRequest> request,
                                                     votes::VoteRequest vote_request);

  // Removes and returns the request for "vote". Returns nullptr if the request has already been
  // taken.
  std::unique_ptr<OpenRequest> take(const votes::VoteQueue::PendingVote& vote);

  // Removes and returns the requests whose votes are complete, and the requests that have reached
  // the deadline.
  Requests take_due();

  [[nodiscard]] std::size_t size() const;

  // Returns the time until the next request reaches its deadline, but at most "longest".
  [[nodiscard]] std::chrono::milliseconds until_next_deadline(
      std::chrono::milliseconds longest) const;

  void on_completed(std::span<const std::uint64_t> numbers) override;

 private:
  struct Arrival {
    std::uint64_t number;
    base::Stopwatch waited;
  };

  void take(std::uint64_t number, Requests& requests) REQUIRES_LOCK(mutex_);

  const std::chrono::milliseconds deadline_;
  const std::function<void()> wake_;
  mutable base::Mutex mutex_;
  std::uint64_t last_number_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<OpenRequest>> requests_ GUARDED_BY(mutex_);
  std::vector<std::uint64_t> completed_ GUARDED_BY(mutex_);
  std::deque<Arrival> arrivals_
      GUARDED_BY(mutex_);  // the oldest first; includes requests that were already taken
};

}  // namespace fcgi
