#include "fcgi/listener.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "config/options.h"

namespace fcgi {
namespace {

constexpr int kInherited = 0;
// The maximum number of connections waiting to be accepted. The Backlog setting in
// systemd/ratingd.socket has the same value as kBacklog. The kernel limits the accept queue to
// net.core.somaxconn connections.
constexpr int kBacklog = 4096;

[[noreturn]] void refuse_listener(const std::string& address, const std::string& reason) {
  throw config::Error("cannot listen on " + address + ": " + reason);
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    refuse_listener(path, "the path must have at most " +
                              std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  path.copy(address.sun_path, path.size());
  return address;
}

// Removes the socket file left by a process that has ended.
void remove_stale_socket(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) refuse_listener(path, "this file exists and is not a socket");
  // SOCK_NONBLOCK keeps connect() from waiting for a process whose connection queue is full.
  const base::Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN) {
    refuse_listener(path, "another process is already listening there");
  }
  if (errno != ECONNREFUSED) refuse_listener(path, std::strerror(errno));
  unlink(path.c_str());
}

void bind_and_listen(const base::Descriptor& listener, const std::string& name,
                     const sockaddr* address, socklen_t size) {
  if (!listener.is_open() || bind(listener.number(), address, size) != 0 ||
      listen(listener.number(), kBacklog) != 0) {
    refuse_listener(name, std::strerror(errno));
  }
}

base::Descriptor listen_on_path(const std::string& path, mode_t mode) {
  const sockaddr_un address = unix_address(path);
  remove_stale_socket(path, address);
  base::Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const mode_t before = umask(0777 & ~mode);  // so the socket never has a wider mode
  try {
    bind_and_listen(listener, path, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } catch (...) {
    umask(before);
    throw;
  }
  umask(before);
  return listener;
}

base::Descriptor listen_on_port(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  std::string host = name.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), name.substr(colon + 1).c_str(), &hints, &found);
      error != 0) {
    refuse_listener(name, gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> address(found, freeaddrinfo);
  base::Descriptor listener(socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;  // works even while connections from an earlier process wait to be closed
  setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  bind_and_listen(listener, name, address->ai_addr, address->ai_addrlen);
  return listener;
}

}  // namespace

base::Descriptor inherited_listener() {
  int listening = 0;
  socklen_t size = sizeof listening;
  if (getsockopt(kInherited, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0) {
    throw config::Error(
        "File descriptor 0 is not a listening socket. Start ratingd with systemd (ratingd.socket), "
        "with \"spawn-fcgi -n -s /run/ratingd.sock -- ratingd …\", or with "
        "--listen=/run/ratingd.sock");
  }
  return base::Descriptor(kInherited);
}

base::Descriptor open_listener(const std::string& address, mode_t mode) {
  return address.starts_with('/') ? listen_on_path(address, mode) : listen_on_port(address);
}

}  // namespace fcgi
