#include "fcgi/connections.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fcgi {
namespace {

using Connection = Connections::Connection;

constexpr unsigned kNumberShift = 32;

// As it is kept in the 64 bits that epoll gives back.
std::uint64_t packed(const Connection& connection) {
  return std::uint64_t{connection.number} << kNumberShift |
         static_cast<std::uint32_t>(connection.socket);
}

Connection unpacked(std::uint64_t bits) {
  return {.socket = static_cast<int>(static_cast<std::uint32_t>(bits)),
          .number = static_cast<std::uint32_t>(bits >> kNumberShift)};
}

std::system_error failure(const char* what) { return {errno, std::generic_category(), what}; }

int new_epoll() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) throw failure("epoll_create1");
  return epoll;
}

}  // namespace

Connections::Connections(std::size_t limit) : limit_(limit), epoll_(new_epoll()) {}

Connections::~Connections() {
  for (const std::uint64_t bits : open_) close(unpacked(bits).socket);
  close(epoll_);
}

bool Connections::has_room(std::chrono::milliseconds patience) {
  const base::MutexLock lock(mutex_);
  if (open_.size() >= limit_) room_.wait_for(mutex_, patience);
  return open_.size() < limit_;
}

void Connections::add(int socket) {
  Connection connection{.socket = socket, .number = 0};
  try {
    {
      const base::MutexLock lock(mutex_);
      connection.number = ++last_number_;
      open_.insert(packed(connection));
    }
    wait_for_request(EPOLL_CTL_ADD, connection);
  } catch (...) {
    close(socket);
    forget(connection);
    throw;
  }
}

std::optional<Connection> Connections::next(std::chrono::milliseconds patience) {
  epoll_event event{};
  while (epoll_wait(epoll_, &event, 1, static_cast<int>(patience.count())) > 0) {
    const Connection connection = unpacked(event.data.u64);
    if ((event.events & (EPOLLHUP | EPOLLERR)) == 0) return connection;
    // Nobody is there any more to be answered.
    close(connection.socket);
    forget(connection);
  }
  return std::nullopt;
}

void Connections::give_back(const Connection& connection) {
  wait_for_request(EPOLL_CTL_MOD, connection);
}

void Connections::forget(const Connection& connection) {
  const base::MutexLock lock(mutex_);
  open_.erase(packed(connection));
  room_.notify_one();
}

void Connections::wait_for_request(int operation, const Connection& connection) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;  // once: it is one thread's until it is given back
  event.data.u64 = packed(connection);
  if (epoll_ctl(epoll_, operation, connection.socket, &event) != 0) throw failure("epoll_ctl");
}

}  // namespace fcgi
