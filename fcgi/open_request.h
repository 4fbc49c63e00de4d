#pragma once

#include <memory>
#include <optional>

#include "api/serve.h"
#include "fcgi/connections.h"
#include "fcgi/exchange.h"
#include "votes/vote_queue.h"

namespace fcgi {

// A request from its arrival to its response, and the connection that it holds. The destructor
// closes the connection, unless it was kept. Used by one thread at a time.
class OpenRequest {
 public:
  // "connections" has handed "connection" out, and must outlive this object.
  OpenRequest(Connections& connections, const Connections::Connection& connection)
      : exchange(connection.socket), connections_(connections), connection_(connection) {}
  OpenRequest(const OpenRequest&) = delete;
  OpenRequest& operator=(const OpenRequest&) = delete;
  ~OpenRequest() {
    if (!is_kept_) connections_.remove(connection_);
  }

  [[nodiscard]] int socket() const { return connection_.socket; }

  // Keeps the connection for other requests, which other threads may answer from now on. Throws
  // std::system_error. Called last, after exchange.answer().
  void keep_connection() {
    connections_.release(connection_);
    exchange.keep_open();
    is_kept_ = true;
  }

  Exchange exchange;
  std::optional<api::Serving> serving;                  // once the request is read
  std::shared_ptr<votes::VoteQueue::PendingVote> vote;  // if the request is a vote

 private:
  Connections& connections_;
  const Connections::Connection connection_;
  bool is_kept_ = false;
};

}  // namespace fcgi
