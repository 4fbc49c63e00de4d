#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/crypto.h"
#include "base/text.h"

namespace support {

inline sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

// Opens a Unix socket on which a worker under test listens.
class Listener {
 public:
  Listener() {
    const sockaddr_un address = address_of(path_);
    socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(socket_, 64) != 0) {
      throw std::runtime_error("cannot listen on " + path_);
    }
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    close(socket_);
    unlink(path_.c_str());
  }

  [[nodiscard]] int descriptor() const { return socket_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const std::string path_ =
      ::testing::TempDir() + "worker_" + base::to_hex(base::random_bytes(6)) + ".sock";
  int socket_ = -1;
};

// Simulates a web server's persistent connection to a worker.
class WebServer {
 public:
  explicit WebServer(const Listener& listener) {
    const sockaddr_un address = address_of(listener.path());
    const timeval limit{.tv_sec = 30, .tv_usec = 0};  // a silent worker fails the test
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("cannot connect to " + listener.path());
    }
  }
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;
  ~WebServer() { hang_up(); }

  void hang_up() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

  // send_begin() sends the first part of a request for "path", and send_end() sends the rest.
  void send_begin(std::string_view path) { send(begin_of("GET", path)); }
  void send_end() { send(end_with("")); }

  // Sends a POST request as a page on the same site would.
  void send_post(std::string_view path, std::string_view body) {
    std::string bytes = begin_of("POST", path);
    std::string parameters;
    append_pair(parameters, "CONTENT_TYPE", "application/json");
    append_pair(parameters, "CONTENT_LENGTH", std::to_string(body.size()));
    append_pair(parameters, "HTTP_SEC_FETCH_SITE", "same-origin");
    append_record(bytes, kParameters, parameters);
    send(bytes + end_with(body));
  }

  // Returns the complete response with headers and body. If the connection ends early, returns the
  // bytes received so far.
  std::string receive() {
    std::string answer;
    for (;;) {
      std::array<unsigned char, kHeader> header{};
      if (!receive_all(header.data(), header.size())) return answer;
      std::string content(std::size_t{header[4]} << 8U | header[5], '\0');
      std::string padding(header[6], '\0');
      if (!receive_all(content.data(), content.size()) ||
          !receive_all(padding.data(), padding.size())) {
        return answer;
      }
      if (header[1] == kEnd) return answer;
      if (header[1] == kOutput) answer += content;
    }
  }

  std::string get(std::string_view path) {
    send(begin_of("GET", path) + end_with(""));
    return receive();
  }

  // Waits for the worker to close the connection. Returns false if the worker sends data instead.
  bool is_closed() {
    char byte = 0;
    return recv(socket_, &byte, 1, 0) == 0;
  }

 private:
  static constexpr unsigned char kBegin = 1, kEnd = 3, kParameters = 4, kInput = 5, kOutput = 6;
  static constexpr std::size_t kHeader = 8;

  static void append_record(std::string& bytes, unsigned char type, std::string_view content) {
    const std::size_t size = content.size();
    for (const std::size_t byte :
         {std::size_t{1}, std::size_t{type}, std::size_t{0}, std::size_t{1}, size >> 8U, size,
          std::size_t{0}, std::size_t{0}}) {
      bytes += static_cast<char>(byte);
    }
    bytes += content;
  }
  static std::string begin_of(std::string_view method, std::string_view path) {
    std::string parameters;
    append_pair(parameters, "REQUEST_METHOD", method);
    append_pair(parameters, "REQUEST_URI", path);
    append_pair(parameters, "SERVER_NAME", "example.org");
    append_pair(parameters, "REMOTE_ADDR", "192.0.2.1");
    std::string bytes;
    append_record(bytes, kBegin, std::string_view("\0\1\1\0\0\0\0\0", 8));
    append_record(bytes, kParameters, parameters);
    return bytes;
  }
  static std::string end_with(std::string_view body) {
    std::string bytes;
    append_record(bytes, kParameters, "");
    if (!body.empty()) append_record(bytes, kInput, body);
    append_record(bytes, kInput, "");
    return bytes;
  }
  // "name" and "value" must be shorter than 128 bytes.
  static void append_pair(std::string& bytes, std::string_view name, std::string_view value) {
    bytes += static_cast<char>(name.size());
    bytes += static_cast<char>(value.size());
    bytes.append(name).append(value);
  }
  void send(std::string_view bytes) const {
    ASSERT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  bool receive_all(void* to, std::size_t size) const {
    return size == 0 || recv(socket_, to, size, MSG_WAITALL) == static_cast<ssize_t>(size);
  }

  int socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
};

}  // namespace support
