#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/mutex.h"

namespace fcgi {

// DESIGN. The open connections from the web server. A connection that waits for its next request
// costs a descriptor but no thread, so there may be many more connections than threads. Those on
// which data has arrived are handed out in the order of arrival, so none of them starves.
//
// Safe for concurrent use.
class Connections {
 public:
  // A number tells connections apart that had the same descriptor one after the other.
  struct Connection {
    int socket;
    std::uint32_t number;
  };

  // At most "limit" may be open. Throws std::system_error without descriptors.
  explicit Connections(std::size_t limit);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  // Closes those that are left. REQUIRES: nobody holds one.
  ~Connections();

  [[nodiscard]] bool is_full() const;

  // How many are held, each by one thread.
  [[nodiscard]] unsigned held() const;

  // Takes over an open socket, also if it fails. By one thread at a time. Throws
  // std::system_error.
  void add(int socket);

  // A connection on which a request begins to arrive: the caller's alone until it is given back or
  // closed. None if there is none for so long. Closes those whose peers have gone.
  std::optional<Connection> next(std::chrono::milliseconds patience);

  // The connection waits for its next request, which may have arrived already. Throws
  // std::system_error; then it is still the caller's.
  void give_back(const Connection& connection);

  // The caller has closed the connection's socket.
  void forget(const Connection& connection);

  // Closes those that nobody holds and on which nothing has arrived. False if something has arrived
  // on one, so that next() has it. REQUIRES: nothing is added any more.
  bool close_idle();

 private:
  struct State {
    std::uint32_t number;
    bool is_held;
  };

  void await_request(int operation, const Connection& connection) const;
  [[nodiscard]] bool is_idle(const Connection& connection) const REQUIRES_LOCK(mutex_);
  void close_idle(const Connection& connection) REQUIRES_LOCK(mutex_);

  const std::size_t limit_;
  const int epoll_;
  mutable base::Mutex mutex_;
  std::unordered_map<int, State> open_ GUARDED_BY(mutex_);  // by socket
  std::uint32_t last_number_ GUARDED_BY(mutex_) = 0;
  unsigned held_ GUARDED_BY(mutex_) = 0;
};

// Whether something has arrived on "socket", or its end.
[[nodiscard]] bool has_input(int socket);

}  // namespace fcgi
