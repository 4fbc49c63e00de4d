#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace support {

// Forwards everything between a client and the database's socket. The proxy can cut a connection
// once, before the server receives a COMMIT or after the server answers it. Like some real proxies,
// the proxy can make the server report found rows instead of changed rows (CLIENT_FOUND_ROWS).
class FaultProxy {
 public:
  enum class Cut { never, before_commit, after_commit };

  FaultProxy(const std::filesystem::path& socket, std::string database_socket)
      : socket_(socket), database_socket_(std::move(database_socket)) {
    const sockaddr_un address = address_of(socket_);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener_, 8) != 0) {
      throw std::runtime_error("the proxy cannot listen on " + socket_);
    }
    thread_ = std::thread([this] { run(); });
  }
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  ~FaultProxy() {
    stopping_ = true;
    thread_.join();
    for (const Pair& pair : pairs_) close_both(pair);
    close(listener_);
    unlink(socket_.c_str());
  }

  // Cuts the connection at the next COMMIT only. Before the proxy accepts the next connection, it
  // calls "meanwhile".
  void cut_next(Cut cut, std::function<void()> meanwhile = {}) {
    meanwhile_ = std::move(meanwhile);
    cut_ = cut;
  }
  [[nodiscard]] bool has_cut() const { return cut_ == Cut::never; }

  // Prevents new connections. Existing connections continue.
  void hide() { unlink(socket_.c_str()); }

  // Makes the server report found rows instead of changed rows in all later connections.
  void count_found_rows() { counts_found_rows_ = true; }

 private:
  struct Pair {
    int client;
    int server;
    bool is_new = true;  // the client has sent nothing yet
    bool is_committing = false;
  };

  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }

  static void close_both(const Pair& pair) {
    close(pair.client);
    close(pair.server);
  }

  void run() {
    while (!stopping_) {
      std::vector<pollfd> waiting = {{listener_, POLLIN, 0}};
      for (const Pair& pair : pairs_) {
        waiting.push_back({pair.client, POLLIN, 0});
        waiting.push_back({pair.server, POLLIN, 0});
      }
      if (poll(waiting.data(), waiting.size(), 20) <= 0) continue;
      std::vector<Pair> open;
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const bool from_client = waiting[1 + 2 * i].revents != 0;
        const bool from_server = waiting[2 + 2 * i].revents != 0;
        if ((!from_client || pass_request(pairs_[i])) && (!from_server || pass_answer(pairs_[i]))) {
          open.push_back(pairs_[i]);
        } else {
          close_both(pairs_[i]);
        }
      }
      pairs_ = std::move(open);
      if (std::exchange(has_just_cut_, false) && meanwhile_) meanwhile_();
      if (waiting.front().revents != 0) accept_one();
    }
  }

  void accept_one() {
    const int client = accept(listener_, nullptr, nullptr);
    const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un address = address_of(database_socket_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      close_both({client, server});
      return;
    }
    pairs_.push_back({client, server});
  }

  // Returns false if the connection has ended.
  bool pass_request(Pair& pair) {
    std::array<char, 65536> buffer;
    const ssize_t count = read(pair.client, buffer.data(), buffer.size());
    if (count <= 0) return false;
    // In the client's first packet, the capabilities follow a four-byte header.
    if (pair.is_new && counts_found_rows_) buffer[4] |= kClientFoundRows;
    pair.is_new = false;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
    pair.is_committing = text.ends_with("COMMIT");
    if (pair.is_committing && cut_ == Cut::before_commit) {
      cut_ = Cut::never;
      has_just_cut_ = true;
      return false;
    }
    return write(pair.server, buffer.data(), text.size()) == count;
  }

  bool pass_answer(Pair& pair) {
    std::array<char, 65536> buffer;
    const ssize_t count = read(pair.server, buffer.data(), buffer.size());
    if (count <= 0) return false;
    if (pair.is_committing && cut_ == Cut::after_commit) {
      cut_ = Cut::never;
      has_just_cut_ = true;
      return false;
    }
    return write(pair.client, buffer.data(), static_cast<std::size_t>(count)) == count;
  }

  static constexpr char kClientFoundRows = 2;

  const std::string socket_;
  const std::string database_socket_;
  int listener_ = -1;
  std::vector<Pair> pairs_;
  std::function<void()> meanwhile_;
  bool has_just_cut_ = false;
  std::atomic<Cut> cut_ = Cut::never;
  std::atomic<bool> counts_found_rows_ = false;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace support
