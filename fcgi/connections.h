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
// needs a descriptor but no thread, so there may be many more connections than threads. The
// function next() returns connections in the order in which their input arrived, so no connection
// starves.
//
// Safe for concurrent use, except where noted.
class Connections {
 public:
  // The member "number" distinguishes successive connections that use the same descriptor.
  struct Connection {
    int socket;
    std::uint32_t number;
  };

  // At most "limit" connections may be open. Throws std::system_error if the process cannot open
  // another file descriptor.
  explicit Connections(std::size_t limit);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  // Closes all connections that are still open. The destructor must not run while a thread holds a
  // connection.
  ~Connections();

  [[nodiscard]] bool is_full() const;

  // Takes ownership of the open socket "socket", even if the function throws std::system_error.
  // Must be called from only one thread at a time.
  void add(int socket);

  // Waits up to "max_wait" for a connection with input, or for a call to wake(). Returns the
  // connection. The caller holds the connection until it calls release() or remove(). Closes
  // connections that their peers have closed. Must be called from only one thread at a time.
  std::optional<Connection> next(std::chrono::milliseconds max_wait);

  // Makes next() return. Does not block. Safe to call from any thread.
  void wake() const;

  // Marks the connection as idle, even if its next request has already arrived. If release() throws
  // std::system_error, the caller still holds the connection.
  void release(const Connection& connection);

  // Removes a connection. The caller must close the connection's socket.
  void remove(const Connection& connection);

  // Closes idle connections that have no input. Returns false if idle connections with input
  // remain. The function next() returns these connections. Must be called only after the last call
  // to add().
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
  // The following three members, used only by next(), contain the events that next() has not
  // handled yet.
  std::array<epoll_event, kEventsAtOnce> events_{};
  std::size_t next_event_ = 0;
  std::size_t events_end_ = 0;
  mutable base::Mutex mutex_;
  std::unordered_map<int, State> open_ GUARDED_BY(mutex_);  // by socket
  std::uint32_t last_number_ GUARDED_BY(mutex_) = 0;
};

// Returns whether "socket" has input or was closed by its peer.
[[nodiscard]] bool has_input(int socket);

}  // namespace fcgi
