#include "fcgi/connections.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <system_error>

#include "base/stopwatch.h"

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

bool has_input(int socket) {
  pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 0) > 0;
}

Connections::Connections(std::size_t limit) : limit_(limit), epoll_(new_epoll()) {}

Connections::~Connections() {
  for (const auto& [bits, is_held] : open_) close(unpacked(bits).socket);
  close(epoll_);
}

bool Connections::wait_for_room(std::chrono::milliseconds patience) {
  const base::MutexLock lock(mutex_);
  if (open_.size() >= limit_) changed_.wait_for(mutex_, patience);
  return open_.size() < limit_;
}

void Connections::wait_until_held_below(std::size_t most, std::chrono::milliseconds patience) {
  const base::MutexLock lock(mutex_);
  const base::Stopwatch stopwatch;
  while (held_ >= most && stopwatch.elapsed() < patience) changed_.wait_for(mutex_, patience);
}

void Connections::add(int socket) {
  const base::MutexLock lock(mutex_);
  const Connection connection{.socket = socket, .number = ++last_number_};
  try {
    open_.emplace(packed(connection), false);
    await_request(EPOLL_CTL_ADD, connection);
  } catch (const std::exception&) {
    open_.erase(packed(connection));
    close(socket);
    throw;
  }
}

std::optional<Connection> Connections::next(std::chrono::milliseconds patience) {
  epoll_event event{};
  while (epoll_wait(epoll_, &event, 1, static_cast<int>(patience.count())) > 0) {
    const Connection connection = unpacked(event.data.u64);
    const base::MutexLock lock(mutex_);
    const auto found = open_.find(event.data.u64);
    if (found == open_.end()) continue;  // close_idle() was faster
    if ((event.events & (EPOLLHUP | EPOLLERR)) == 0) {
      found->second = true;
      ++held_;
      return connection;
    }
    close(connection.socket);
    open_.erase(found);
    changed_.notify_one();
  }
  return std::nullopt;
}

void Connections::give_back(const Connection& connection) {
  const base::MutexLock lock(mutex_);
  await_request(EPOLL_CTL_MOD, connection);
  open_.at(packed(connection)) = false;
  --held_;
  changed_.notify_one();
}

void Connections::forget(const Connection& connection) {
  const base::MutexLock lock(mutex_);
  open_.erase(packed(connection));
  --held_;
  changed_.notify_one();
}

unsigned Connections::held() {
  const base::MutexLock lock(mutex_);
  return static_cast<unsigned>(held_);
}

bool Connections::close_idle() {
  const base::MutexLock lock(mutex_);
  bool is_quiet = true;
  std::erase_if(open_, [&](const auto& entry) {
    const auto& [bits, is_held] = entry;
    if (is_held) return false;
    const Connection connection = unpacked(bits);
    if (has_input(connection.socket)) {
      is_quiet = false;
      return false;
    }
    close(connection.socket);
    return true;
  });
  return is_quiet;
}

void Connections::await_request(int operation, const Connection& connection) const {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;  // once: it is one thread's until it is given back
  event.data.u64 = packed(connection);
  if (epoll_ctl(epoll_, operation, connection.socket, &event) != 0) throw failure("epoll_ctl");
}

}  // namespace fcgi
