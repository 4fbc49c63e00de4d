#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/descriptor.h"
#include "base/mutex.h"

namespace fcgi {

// DESIGN. The open connections from the web server. A connection that waits for its next request
// needs a descriptor but no thread, so there may be many more connections than threads. Connections
// with input are handed out in the order of arrival, so none of them starves.
//
// Safe for concurrent use, except next().
class Connections {
 public:
  // The number distinguishes successive connections that use the same descriptor.
  struct Connection {
    int socket;
    std::uint32_t number;
  };

  // At most "limit" connections may be open. Throws std::system_error if no descriptor is left.
  explicit Connections(std::size_t limit);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  // Closes the remaining connections. REQUIRES: no thread holds a connection.
  ~Connections();

  [[nodiscard]] bool is_full() const;

  // Takes ownership of an open socket, even if it throws std::system_error. Must be called from
  // only one thread at a time.
  void add(int socket);

  // Waits up to "max_wait" for a connection with input, or for wake(). Returns the connection,
  // which the caller holds until release() or remove(). Closes connections whose peers have closed
  // them. Must be called from only one thread at a time.
  std::optional<Connection> next(std::chrono::milliseconds max_wait);

  // Makes next() return. Safe for any thread; does not block.
  void wake() const;

  // Returns the connection to the idle set, even if its next request has already arrived. If it
  // throws std::system_error, the caller still holds the connection.
  void release(const Connection& connection);

  // Removes a connection whose socket the caller closes.
  void remove(const Connection& connection);

  // Closes idle connections without input. Returns false if a connection has input, which next()
  // will return. REQUIRES: add() is no longer called.
  bool close_idle();

 private:
  struct State {
    std::uint32_t number;
    bool is_held;
  };

  void await_request(int operation, const Connection& connection) const;
  [[nodiscard]] bool is_idle(const Connection& connection) const REQUIRES_LOCK(mutex_);
  void close_idle(const Connection& connection) REQUIRES_LOCK(mutex_);

  static constexpr std::size_t kEventsAtOnce = 64;

  bool wait_for_events(std::chrono::milliseconds max_wait);

  const std::size_t limit_;
  const base::Descriptor epoll_;
  const base::Descriptor waker_;  // an eventfd
  // Events that next() has not handled yet. Used only by next().
  std::array<epoll_event, kEventsAtOnce> events_{};
  std::size_t next_event_ = 0;
  std::size_t events_end_ = 0;
  mutable base::Mutex mutex_;
  std::unordered_map<int, State> open_ GUARDED_BY(mutex_);  // by socket
  std::uint32_t last_number_ GUARDED_BY(mutex_) = 0;
};

// Returns whether "socket" has input, or its peer has closed it.
[[nodiscard]] bool has_input(int socket);

}  // namespace fcgi
