#pragma once

#include <fcgiapp.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/request.h"
#include "http/response.h"

namespace fcgi {

// One connection from the web server, and the requests that come over it, one after the other.
//
// This file is the only user of libfcgi, and works around three of its habits: it accepts
// connections itself, so that it can be told to stop; it waits for a kept connection's next request
// itself; and it reads every body to its end, since what is left would be taken for the next
// request.
//
// Used by one thread.
class Exchange {
 public:
  using Serve = std::function<http::Response(const http::Request&)>;

  // Once in a process, before any thread uses an Exchange.
  static void initialise();

  // Takes over "connection", an accepted socket, and closes it in the end.
  explicit Exchange(int connection);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  // Reads a request that has begun to arrive, and answers it. False when the connection is of no
  // more use. Blocks until the request is there and the answer is with the web server; an answer in
  // pieces is given up, and the connection with it, when it takes longer than 10 minutes.
  bool answer_one(const base::Clock& clock, const Serve& serve);

 private:
  std::size_t read_some();
  bool read_rest();
  bool send(std::string_view text);
  bool send_pieces(const http::Pieces& pieces);
  [[nodiscard]] std::string_view piece() const { return {buffer_.data(), piece_size_}; }

  FCGX_Request request_{};
  std::array<char, 16384> buffer_{};  // the last piece of the body
  std::size_t piece_size_ = 0;
  std::uint64_t received_ = 0;   // of the body
  std::uint64_t announced_ = 0;  // its length
};

}  // namespace fcgi
