#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fcgi {

// DESIGN. The open connections from the web server. One that waits for its next request costs a
// descriptor but no thread, so that connections may be many more than threads; those on which
// something has arrived are handed out in the order of its arrival, so that none of them starves.
//
// Each request takes a connection and gives it back, so that takes no lock: a place for each
// descriptor says which connection has it now, and whether somebody holds it.
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

  [[nodiscard]] bool is_full() const { return open_ >= limit_; }

  // How many somebody holds.
  [[nodiscard]] unsigned held() const { return held_; }

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
  // What a place holds: nothing (0), or a connection's number with a bit for being held.
  using Place = std::atomic<std::uint64_t>;

  void await_request(int operation, const Connection& connection) const;
  void close_one(const Connection& connection);
  bool change_idle(const Connection& connection, std::uint64_t wanted);

  const std::size_t limit_;
  const int epoll_;
  std::uint32_t last_number_ = 0;
  std::vector<Place> places_;  // by descriptor
  std::atomic<unsigned> open_ = 0;
  std::atomic<unsigned> held_ = 0;
};

// Whether something has arrived on "socket", or its end.
[[nodiscard]] bool has_input(int socket);

}  // namespace fcgi
