#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "base/mutex.h"

namespace fcgi {

// The open connections from the web server. One that waits for its next request costs a descriptor
// but no thread, so that connections may be many more than threads; those on which something has
// arrived are handed out in the order of their arrival, so that none of them starves.
//
// Safe for concurrent use.
class Connections {
 public:
  // A number tells connections apart that had the same descriptor one after the other.
  struct Connection {
    int socket;
    std::uint32_t number;
  };

  // "limit" is how many may be open. Throws std::system_error without descriptors.
  explicit Connections(std::size_t limit);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  // Closes those that are left. REQUIRES: nobody holds one.
  ~Connections();

  // Whether one more may be added. Waits for it at most so long.
  bool has_room(std::chrono::milliseconds patience);

  // Takes over an open socket. Throws std::system_error (and closes it) without memory for it.
  void add(int socket);

  // A connection on which a request begins to arrive: the caller's alone until it gives it back or
  // has closed it. None if there is none for so long.
  std::optional<Connection> next(std::chrono::milliseconds patience);

  // It waits for its next request.
  void give_back(const Connection& connection);

  // Its socket has been closed.
  void forget(const Connection& connection);

 private:
  void wait_for_request(int operation, const Connection& connection);

  const std::size_t limit_;
  const int epoll_;
  base::Mutex mutex_;
  base::Condition room_;
  std::uint32_t last_number_ GUARDED_BY(mutex_) = 0;
  std::unordered_set<std::uint64_t> open_ GUARDED_BY(mutex_);  // the connections, packed
};

}  // namespace fcgi
