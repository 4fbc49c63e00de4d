#pragma once

#include <fcgiapp.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/request.h"

namespace fcgi {

// One request on a connection from the web server, and its response.
//
// Only exchange.h and exchange.cpp use libfcgi. The Exchange class works around three limitations
// of libfcgi. Because libfcgi cannot stop accepting connections, the Worker class accepts
// connections instead. Because libfcgi blocks until the next request on a persistent connection
// arrives, the Connections class waits for requests instead. Because libfcgi mistakes the unread
// rest of a request's body for the next request, a connection with an unread body is closed.
// Exchange does not wait for the unread rest of a body, because clients may send the rest
// arbitrarily slowly.
//
// Must be used by only one thread at a time.
class Exchange {
 public:
  // Initializes libfcgi. Must be called once per process, before any thread uses an Exchange.
  static void initialize();

  // Limits how long a thread waits if the web server stops in the middle of a request or response.
  // Must be called once per connection, before the connection's first exchange.
  static void prepare(int connection);

  // Takes ownership of the accepted socket "connection". The destructor closes the socket unless
  // keep_open() was called.
  explicit Exchange(int connection);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  // Returns whether the whole request has arrived on "connection", so that read() does not block.
  // Returns false for every request that is larger than 8 KiB.
  static bool has_whole_request(int connection);

  // Reads the request that has begun to arrive, including a body of at most http::kMaxBody bytes.
  // If the body is larger than http::kMaxBody, or if the web server streams the body
  // (BODY_IS_STREAMED), the handler reads the body in pieces later. Returns false if the web server
  // has closed the connection or does not send the whole request in time.
  bool read(const base::Clock& clock);

  // Returns the request, which is valid as long as this object exists. Must be called only after
  // read() has returned true.
  [[nodiscard]] const http::Request& request() const { return http_request_; }

  // Returns true if the whole request was read and the response fits in the socket's buffer, so
  // that answer() will not block.
  [[nodiscard]] bool is_quick(const http::Response& response) const;

  // Sends the response to the web server. Blocks while the web server is not ready to receive.
  // Returns false if the connection cannot be used for another request. A streamed response that
  // takes longer than 10 minutes is aborted, and its connection is closed. If "may_wait" is true
  // and part of the request's body is unread, waits up to 10 seconds until the web server has read
  // the response. Call answer() once, after read().
  bool answer(const http::Response& response, bool may_wait = true);

  // Leaves the connection open for the next exchange. Must be called after answer().
  void keep_open() { request_.ipcFd = kNoSocket; }

 private:
  static constexpr int kNoSocket = -1;
  static constexpr std::size_t kMaxQuick = 64 << 10U;  // bytes; less than a socket's buffer

  std::size_t read_some();
  void offer_large_body();
  [[nodiscard]] bool is_body_whole() const;
  [[nodiscard]] bool has_read_body() const { return body_ended_ || received_ == announced_; }
  bool read_rest();
  void discard_rest();
  bool send(std::string_view text);
  bool send_pieces(const http::Pieces& pieces);
  [[nodiscard]] std::string_view piece() const { return {buffer_.data(), piece_size_}; }

  FCGX_Request request_{};
  http::Request http_request_;  // points into the library's memory and into body_
  std::string body_;
  std::array<char, 4096> buffer_{};  // the last piece of the body
  std::size_t piece_size_ = 0;
  std::uint64_t received_ = 0;  // the number of bytes received so far
  // The length of the body, if the request specifies it.
  std::optional<std::uint64_t> announced_;
  bool body_ended_ = false;
};

}  // namespace fcgi
