#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fcgi {

// DESIGN. The open connections from the web server. An idle connection costs a descriptor but no
// thread, so there may be many more connections than threads. Connections with input are returned
// in the order in which it arrived, so none of them starves.
//
// Every request acquires and releases a connection, so both operations are lock-free: each
// descriptor has a slot with the number of its current connection and a flag that says whether a
// thread holds it.
//
// Safe for concurrent use.
class Connections {
 public:
  // The number distinguishes successive connections that had the same descriptor.
  struct Connection {
    int socket;
    std::uint32_t number;
  };

  // At most "limit" connections may be open. Throws std::system_error if descriptors run out.
  explicit Connections(std::size_t limit);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  // Closes the remaining connections. REQUIRES: no thread holds one.
  ~Connections();

  [[nodiscard]] bool is_full() const { return open_ >= limit_; }

  // The number of connections that threads hold.
  [[nodiscard]] unsigned held() const { return held_; }

  // Takes ownership of an open socket, even on failure. Called by one thread at a time. Throws
  // std::system_error.
  void add(int socket);

  // Waits up to "max_wait" for a connection with input. The caller holds it until release() or
  // remove(). Closes connections whose peers have closed them.
  std::optional<Connection> next(std::chrono::milliseconds max_wait);

  // Returns the connection to the idle set; its next request may have arrived already. Throws
  // std::system_error; the caller then still holds the connection.
  void release(const Connection& connection);

  // Removes a connection whose socket the caller has closed.
  void remove(const Connection& connection);

  // Closes idle connections without input. False if one has input: next() returns it. REQUIRES:
  // add() is not called any more.
  bool close_idle();

 private:
  // 0, or the number of a connection with a bit that says whether a thread holds it.
  using Slot = std::atomic<std::uint64_t>;

  void await_request(int operation, const Connection& connection) const;
  void close_one(const Connection& connection);
  bool change_idle(const Connection& connection, std::uint64_t wanted);

  const std::size_t limit_;
  const int epoll_;
  std::uint32_t last_number_ = 0;
  std::vector<Slot> slots_;  // by descriptor
  std::atomic<unsigned> open_ = 0;
  std::atomic<unsigned> held_ = 0;
};

// Whether "socket" has input or is at its end.
[[nodiscard]] bool has_input(int socket);

}  // namespace fcgi
