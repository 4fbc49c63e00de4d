#pragma once

#include <fcgiapp.h>

#include <functional>
#include <string>

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
  // more use. Blocks until the request is there and the answer is with the web server.
  bool answer_one(const base::Clock& clock, const Serve& serve);

 private:
  bool read_body(std::string& body, bool& too_large);

  FCGX_Request request_{};
};

}  // namespace fcgi
