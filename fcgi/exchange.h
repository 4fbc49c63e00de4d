#pragma once

#include <fcgiapp.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/request.h"
#include "http/response.h"

namespace fcgi {

// One request on a connection from the web server, and its response.
//
// Only this file uses libfcgi. It works around three properties of that library: connections are
// accepted elsewhere, so that accepting can be stopped; waiting for the next request on a
// persistent connection also happens elsewhere; and a connection is closed if the request body was
// not read to its end, because the library would take the rest for the next request. The rest is
// not read, because clients may send it arbitrarily slowly.
//
// Used by one thread.
class Exchange {
 public:
  using Serve = std::function<http::Response(const http::Request&)>;

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

  // Reads the request that has begun to arrive, and answers it. A body up to http::kMaxBody is read
  // first. If the body is larger, or the web server streams it (BODY_IS_STREAMED), only what the
  // handler asks for is read. Returns false if the connection cannot be used again. Blocks until
  // the response has been passed to the web server. A response in pieces that takes longer than 10
  // minutes is aborted, and its connection closed.
  bool answer(const base::Clock& clock, const Serve& serve);

  // Leaves the connection open for another exchange. Called after answer().
  void keep_open() { request_.ipcFd = kNoSocket; }

 private:
  static constexpr int kNoSocket = -1;

  std::size_t read_some();
  void offer_large_body(http::Request& request);
  [[nodiscard]] bool is_body_whole() const;
  bool read_rest();
  void discard_rest();
  bool send(std::string_view text);
  bool send_pieces(const http::Pieces& pieces);
  [[nodiscard]] std::string_view piece() const { return {buffer_.data(), piece_size_}; }

  FCGX_Request request_{};
  std::array<char, 4096> buffer_{};  // the last piece of the body
  std::size_t piece_size_ = 0;
  std::uint64_t received_ = 0;  // of the body
  // The body's length; nothing if neither the client nor the web server has announced it.
  std::optional<std::uint64_t> announced_;
  bool body_ended_ = false;
};

}  // namespace fcgi
