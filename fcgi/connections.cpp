#include "fcgi/connections.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace fcgi {
namespace {

using Connection = Connections::Connection;

constexpr unsigned kNumberShift = 32;
// The epoll user data for the eventfd. No packed connection has the value kWaker, because no socket
// has the descriptor -1.
constexpr std::uint64_t kWaker = ~std::uint64_t{0};

// Returns the connection packed into epoll's 64-bit user data.
std::uint64_t packed(const Connection& connection) {
  return std::uint64_t{connection.number} << kNumberShift |
         static_cast<std::uint32_t>(connection.socket);
}

Connection unpacked(std::uint64_t bits) {
  return {.socket = static_cast<int>(static_cast<std::uint32_t>(bits)),
          .number = static_cast<std::uint32_t>(bits >> kNumberShift)};
}

std::system_error failure(int error, const char* what) {
  return {error, std::generic_category(), what};
}

}  // namespace

bool has_input(int socket) {
  pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 0) > 0;
}

Connections::Connections(std::size_t limit)
    : limit_(limit),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      waker_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event event{};
  // With EPOLLET, epoll reports each call to wake() only once, so the eventfd's counter need not be
  // read.
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = kWaker;
  if (!epoll_.is_open()) throw failure(errno, "epoll_create1");
  if (!waker_.is_open() ||
      epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, waker_.number(), &event) != 0) {
    throw failure(errno, "eventfd");
  }
}

Connections::~Connections() {
  for (const auto& [socket, state] : open_) close(socket);
}

bool Connections::is_full() const {
  const base::MutexLock lock(mutex_);
  return open_.size() >= limit_;
}

void Connections::add(int socket) {
  const base::MutexLock lock(mutex_);
  const Connection connection{.socket = socket, .number = ++last_number_};
  try {
    open_[socket] = {.number = connection.number, .is_held = false};
    await_request(EPOLL_CTL_ADD, connection);
  } catch (...) {
    open_.erase(socket);
    close(socket);
    throw;
  }
}

std::optional<Connection> Connections::next(std::chrono::milliseconds max_wait) {
  while (next_event_ < events_end_ || wait_for_events(max_wait)) {
    const epoll_event& event = events_[next_event_++];
    if (event.data.u64 == kWaker) break;
    const Connection connection = unpacked(event.data.u64);
    const base::MutexLock lock(mutex_);
    if (!is_idle(connection)) continue;  // closed in the meantime
    if ((event.events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0) {
      close_idle(connection);
      continue;
    }
    open_.at(connection.socket).is_held = true;
    return connection;
  }
  return std::nullopt;
}

bool Connections::wait_for_events(std::chrono::milliseconds max_wait) {
  const int count = epoll_wait(epoll_.number(), events_.data(), static_cast<int>(events_.size()),
                               static_cast<int>(max_wait.count()));
  next_event_ = 0;
  events_end_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  return count > 0;
}

void Connections::wake() const {
  constexpr std::uint64_t kOne = 1;
  // The write can fail only if the eventfd's counter is full, and a full counter also wakes next().
  static_cast<void>(!write(waker_.number(), &kOne, sizeof kOne));
}

void Connections::release(const Connection& connection) {
  // Hold the lock across both statements, so that next() handles the connection's events only after
  // the connection is marked as idle.
  const base::MutexLock lock(mutex_);
  await_request(EPOLL_CTL_MOD, connection);
  open_.at(connection.socket).is_held = false;
}

void Connections::remove(const Connection& connection) {
  const base::MutexLock lock(mutex_);
  // If the connection numbers differ, the descriptor already belongs to a newer connection.
  const auto found = open_.find(connection.socket);
  if (found != open_.end() && found->second.number == connection.number) open_.erase(found);
}

bool Connections::close_idle() {
  const base::MutexLock lock(mutex_);
  std::vector<Connection> quiet;
  bool all_quiet = true;
  for (const auto& [socket, state] : open_) {
    if (state.is_held) continue;
    if (has_input(socket)) {
      all_quiet = false;
    } else {
      quiet.push_back({.socket = socket, .number = state.number});
    }
  }
  for (const Connection& connection : quiet) close_idle(connection);
  return all_quiet;
}

bool Connections::is_idle(const Connection& connection) const {
  const auto found = open_.find(connection.socket);
  return found != open_.end() && found->second.number == connection.number &&
         !found->second.is_held;
}

void Connections::close_idle(const Connection& connection) {
  close(connection.socket);
  open_.erase(connection.socket);
}

void Connections::await_request(int operation, const Connection& connection) const {
  epoll_event event{};
  event.events =
      // EPOLLONESHOT ensures that only one thread holds the connection until release().
      EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  event.data.u64 = packed(connection);
  if (epoll_ctl(epoll_.number(), operation, connection.socket, &event) != 0) {
    throw failure(errno, "epoll_ctl");
  }
}

}  // namespace fcgi
