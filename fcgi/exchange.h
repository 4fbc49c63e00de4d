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
// Only this file uses libfcgi. It works around three properties of libfcgi. First, the library
// would accept connections itself. Other code accepts them, so that accepting can stop. Second, the
// library would wait for the next request on a persistent connection. Other code does this, too.
// Third, if a body was not read to its end, the library would mistake the rest for the next
// request. So the connection is closed. The rest of the body is not read, because clients may send
// it arbitrarily slowly.
//
// Must be used by only one thread at a time.
class Exchange {
 public:
  // Call once per process, before any thread uses an Exchange.
  static void initialise();

  // Limits how long the web server can block a thread if it stops in the middle of a request or
  // response. Call once per connection, before its first exchange.
  static void prepare(int connection);

  // Takes ownership of "connection", an accepted socket, and closes it unless keep_open() is
  // called.
  explicit Exchange(int connection);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  // Returns whether the whole request has arrived on "connection", so that read() does not block.
  // Returns false for every request that is larger than 8 KiB.
  static bool has_whole_request(int connection);

  // Reads the request that has begun to arrive, and its body if the body has at most http::kMaxBody
  // bytes. If the body is larger, or if the web server streams it (BODY_IS_STREAMED), reads only
  // the pieces that the handler requests. Returns false if the web server has closed the connection
  // or does not send the rest in time.
  bool read(const base::Clock& clock);

  // REQUIRES: read() has returned true. The request is valid as long as this object exists.
  [[nodiscard]] const http::Request& request() const { return http_request_; }

  // Returns true if answer() will not block, because the request was read to its end and the
  // response fits into the socket's buffer.
  [[nodiscard]] bool is_quick(const http::Response& response) const;

  // Passes the response to the web server and blocks until the web server has taken it. Returns
  // false if the connection cannot be used again. A streamed response that takes longer than 10
  // minutes is aborted, and its connection is closed. If "may_wait" is true and part of the body is
  // unread, waits up to 10 seconds for the rest, so that the web server can read the response
  // first. Call answer() once, after read().
  bool answer(const http::Response& response, bool may_wait = true);

  // Leaves the connection open for another exchange. Call it after answer().
  void keep_open() { request_.ipcFd = kNoSocket; }

 private:
  static constexpr int kNoSocket = -1;
  static constexpr std::size_t kMaxQuick = 64 << 10U;  // bytes; less than a socket's buffer

  std::size_t read_some();
  void offer_large_body();
  [[nodiscard]] bool is_body_whole() const;
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
  // The body's length. Empty if neither the client nor the web server has announced it.
  std::optional<std::uint64_t> announced_;
  bool body_ended_ = false;
};

}  // namespace fcgi
