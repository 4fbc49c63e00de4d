#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/mutex.h"

namespace fcgi {

// The open connections from the web server. One that waits for its next request costs a descriptor
// but no thread, so that connections may be many more than threads; those on which something has
// arrived are handed out in the order of its arrival, so that none of them starves.
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

  // Waits until one more may be added, at most so long. False if none may.
  bool wait_for_room(std::chrono::milliseconds patience);

  // Waits until fewer than "most" are held, at most so long.
  void wait_until_held_below(std::size_t most, std::chrono::milliseconds patience);

  // Takes over an open socket, also if it fails. Throws std::system_error or std::bad_alloc.
  void add(int socket);

  // A connection on which a request begins to arrive: the caller's alone until it is given back or
  // closed. None if there is none for so long. Closes those whose peers have gone.
  std::optional<Connection> next(std::chrono::milliseconds patience);

  // The connection waits for its next request, which may have arrived already.
  void give_back(const Connection& connection);

  // The caller has closed the connection's socket.
  void forget(const Connection& connection);

  // How many somebody holds.
  [[nodiscard]] unsigned held();

  // Closes those that nobody holds and on which nothing has arrived. False if something has arrived
  // on one, so that next() has it.
  bool close_idle();

 private:
  void await_request(int operation, const Connection& connection) const;

  const std::size_t limit_;
  const int epoll_;
  base::Mutex mutex_;
  base::Condition changed_;  // what the accepting thread waits for
  std::uint32_t last_number_ GUARDED_BY(mutex_) = 0;
  // The connections, packed, and whether somebody holds them.
  std::unordered_map<std::uint64_t, bool> open_ GUARDED_BY(mutex_);
  std::size_t held_ GUARDED_BY(mutex_) = 0;
};

// Whether something has arrived on "socket", or its end.
[[nodiscard]] bool has_input(int socket);

}  // namespace fcgi
