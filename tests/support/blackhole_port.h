#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace support {

// Opens a local port that neither accepts nor refuses connections, like the port of an unreachable
// host. The port's connection queue is full, so the kernel ignores further attempts.
class BlackholePort {
 public:
  BlackholePort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, raw, size) != 0 || listen(listener_, 0) != 0 ||
        getsockname(listener_, raw, &size) != 0) {
      throw std::runtime_error("there is no port to listen on");
    }
    port_ = ntohs(address.sin_port);
    for (int& caller : callers_) {
      caller = ::socket(AF_INET, SOCK_STREAM, 0);
      fcntl(caller, F_SETFL, O_NONBLOCK);
      static_cast<void>(connect(caller, raw, size));  // the last calls wait forever
    }
  }
  BlackholePort(const BlackholePort&) = delete;
  BlackholePort& operator=(const BlackholePort&) = delete;
  ~BlackholePort() {
    for (const int caller : callers_) close(caller);
    close(listener_);
  }

  [[nodiscard]] unsigned port() const { return port_; }

 private:
  int listener_ = -1;
  unsigned port_ = 0;
  std::array<int, 4> callers_{};
};

}  // namespace support
