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

// One request over a connection from the web server, and its answer.
//
// This file is the only user of libfcgi, and works around three of its habits: connections are
// accepted elsewhere, so that accepting can be told to stop; so is a kept connection's next request
// waited for; and a connection is closed after a body that was not read to its end, since the rest
// would be taken for the next request. The rest is not waited for: it comes as slowly as a client
// likes.
//
// Used by one thread.
class Exchange {
 public:
  using Serve = std::function<http::Response(const http::Request&)>;

  // Once in a process, before any thread uses an Exchange.
  static void initialise();

  // Bounds how long the web server may hold a thread by stopping in the middle of a request or an
  // answer: once for each connection, before its first exchange.
  static void prepare(int connection);

  // Takes over "connection", an accepted socket, and closes it in the end unless told otherwise.
  explicit Exchange(int connection);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  // Reads the request that has begun to arrive, and answers it. A body up to http::kMaxBody is read
  // before, unless the web server says that it is streaming it (BODY_IS_STREAMED): then, as of a
  // larger one, only what is asked for is read. False when the connection is of no more use. Blocks
  // until the request is there and the answer is with the web server; an answer in
  // pieces is given up, and the connection with it, when it takes longer than 10 minutes.
  bool answer(const base::Clock& clock, const Serve& serve);

  // Leaves the connection, after an answer, to another exchange.
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
  // Its length; nothing if the client did not tell and the web server has not seen its end.
  std::optional<std::uint64_t> announced_;
  bool body_ended_ = false;
};

}  // namespace fcgi
