#include "fcgi/connections.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

namespace fcgi {
namespace {

using Connection = Connections::Connection;

constexpr unsigned kNumberShift = 32;
constexpr std::size_t kOtherDescriptors = 2048;  // that the process may have besides

// As it is kept in the 64 bits that epoll gives back.
std::uint64_t packed(const Connection& connection) {
  return std::uint64_t{connection.number} << kNumberShift |
         static_cast<std::uint32_t>(connection.socket);
}

Connection unpacked(std::uint64_t bits) {
  return {.socket = static_cast<int>(static_cast<std::uint32_t>(bits)),
          .number = static_cast<std::uint32_t>(bits >> kNumberShift)};
}

// What the place of a connection holds.
constexpr std::uint64_t kNobody = 0;
std::uint64_t idle_place(const Connection& connection) {
  return std::uint64_t{connection.number} << 1U;
}
std::uint64_t held_place(const Connection& connection) { return idle_place(connection) | 1U; }

std::system_error failure(int error, const char* what) {
  return {error, std::generic_category(), what};
}

int new_epoll() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) throw failure(errno, "epoll_create1");
  return epoll;
}

}  // namespace

bool has_input(int socket) {
  pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 0) > 0;
}

Connections::Connections(std::size_t limit)
    : limit_(limit), epoll_(new_epoll()), places_(limit + kOtherDescriptors) {}

Connections::~Connections() {
  for (std::size_t socket = 0; socket < places_.size(); ++socket) {
    if (places_[socket] != kNobody) close(static_cast<int>(socket));
  }
  close(epoll_);
}

void Connections::add(int socket) {
  if (static_cast<std::size_t>(socket) >= places_.size()) {
    close(socket);
    throw failure(EMFILE, "descriptors");
  }
  if (++last_number_ == 0) ++last_number_;  // 0 is nobody's
  const Connection connection{.socket = socket, .number = last_number_};
  Place& place = places_[static_cast<std::size_t>(socket)];
  place = idle_place(connection);
  ++open_;
  try {
    await_request(EPOLL_CTL_ADD, connection);
  } catch (const std::system_error&) {
    place = kNobody;
    --open_;
    close(socket);
    throw;
  }
}

std::optional<Connection> Connections::next(std::chrono::milliseconds patience) {
  epoll_event event{};
  while (epoll_wait(epoll_, &event, 1, static_cast<int>(patience.count())) > 0) {
    const Connection connection = unpacked(event.data.u64);
    if ((event.events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0) {
      if (change_idle(connection, kNobody)) close_one(connection);
      continue;
    }
    if (change_idle(connection, held_place(connection))) {
      ++held_;
      return connection;
    }
  }
  return std::nullopt;
}

void Connections::give_back(const Connection& connection) {
  await_request(EPOLL_CTL_MOD, connection);
  --held_;
  // Last, so that nobody closes a connection that is being given back; see change_idle().
  places_[static_cast<std::size_t>(connection.socket)] = idle_place(connection);
}

void Connections::forget(const Connection& connection) {
  std::uint64_t expected = held_place(connection);
  // Else the descriptor is another connection's already.
  places_[static_cast<std::size_t>(connection.socket)].compare_exchange_strong(expected, kNobody);
  --held_;
  --open_;
}

bool Connections::close_idle() {
  bool is_quiet = true;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::uint64_t place = places_[i];
    const Connection connection{.socket = static_cast<int>(i),
                                .number = static_cast<std::uint32_t>(place >> 1U)};
    if (place == kNobody || place != idle_place(connection)) continue;
    if (has_input(connection.socket)) {
      is_quiet = false;
    } else if (std::uint64_t expected = place;
               places_[i].compare_exchange_strong(expected, kNobody)) {
      close_one(connection);
    }
  }
  return is_quiet;
}

// By whoever has made its place nobody's.
void Connections::close_one(const Connection& connection) {
  close(connection.socket);
  --open_;
}

// Makes an idle connection's place "wanted". False if it is not that connection's any more. What
// is held is about to be given back by whoever has just said that it may be handed out.
bool Connections::change_idle(const Connection& connection, std::uint64_t wanted) {
  Place& place = places_[static_cast<std::size_t>(connection.socket)];
  for (;;) {
    std::uint64_t found = idle_place(connection);
    if (place.compare_exchange_strong(found, wanted)) return true;
    if (found != held_place(connection)) return false;
    std::this_thread::yield();
  }
}

void Connections::await_request(int operation, const Connection& connection) const {
  epoll_event event{};
  event.events =
      EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;  // once: it is one thread's until it is given back
  event.data.u64 = packed(connection);
  if (epoll_ctl(epoll_, operation, connection.socket, &event) != 0) {
    throw failure(errno, "epoll_ctl");
  }
}

}  // namespace fcgi
