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
// Only this file uses libfcgi. It works around three properties of that library: connections are
// accepted elsewhere, so that accepting can be stopped; waiting for the next request on a
// persistent connection also happens elsewhere; and a connection is closed if the request body was
// not read to its end, because the library would take the rest for the next request. The rest is
// not read, because clients may send it arbitrarily slowly.
//
// Used by one thread at a time.
class Exchange {
 public:
  // Call once per process, before any thread uses an Exchange.
  static void initialise();

  // Limits how long the web server can block a thread by stopping in the middle of a request or
  // response. Call once per connection, before its first exchange.
  static void prepare(int connection);

  // Takes ownership of "connection", an accepted socket, and closes it unless keep_open() is
  // called.
  explicit Exchange(int connection);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  // Whether the whole request has arrived on "connection", so that read() does not block. False
  // also for a request of more than some KiB.
  static bool has_whole_request(int connection);

  // Reads the request that has begun to arrive. A body up to http::kMaxBody is read, too. If the
  // body is larger, or the web server streams it (BODY_IS_STREAMED), only what the handler asks for
  // is read. False if the web server has closed the connection or does not send the rest in time.
  bool read(const base::Clock& clock);

  // REQUIRES: read() has returned true. Valid as long as this object.
  [[nodiscard]] const http::Request& request() const { return http_request_; }

  // Whether answer() does not block: the request was read to its end, and the response fits into
  // the socket's buffer.
  [[nodiscard]] bool is_quick(const http::Response& response) const;

  // Passes the response to the web server, and blocks until that has taken it. Returns false if the
  // connection cannot be used again. A response in pieces that takes longer than 10 minutes is
  // aborted, and its connection closed. "may_wait": whether the rest of a body that nobody reads
  // may arrive for up to 10 seconds, so that the web server reads the response first. Called once,
  // after read().
  bool answer(const http::Response& response, bool may_wait = true);

  // Leaves the connection open for another exchange. Called after answer().
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
  http::Request http_request_;  // refers to the library's memory and to body_
  std::string body_;
  std::array<char, 4096> buffer_{};  // the last piece of the body
  std::size_t piece_size_ = 0;
  std::uint64_t received_ = 0;  // of the body
  // The body's length; nothing if neither the client nor the web server has announced it.
  std::optional<std::uint64_t> announced_;
  bool body_ended_ = false;
};

}  // namespace fcgi
