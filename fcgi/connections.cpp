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
constexpr std::size_t kOtherDescriptors = 2048;  // reserved for other uses of the process

// The connection packed into the 64 bits of epoll's user data.
std::uint64_t packed(const Connection& connection) {
  return std::uint64_t{connection.number} << kNumberShift |
         static_cast<std::uint32_t>(connection.socket);
}

Connection unpacked(std::uint64_t bits) {
  return {.socket = static_cast<int>(static_cast<std::uint32_t>(bits)),
          .number = static_cast<std::uint32_t>(bits >> kNumberShift)};
}

// The value of a connection's slot.
constexpr std::uint64_t kNobody = 0;
std::uint64_t idle_slot(const Connection& connection) {
  return std::uint64_t{connection.number} << 1U;
}
std::uint64_t held_slot(const Connection& connection) { return idle_slot(connection) | 1U; }

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
    : limit_(limit), epoll_(new_epoll()), slots_(limit + kOtherDescriptors) {}

Connections::~Connections() {
  for (std::size_t socket = 0; socket < slots_.size(); ++socket) {
    if (slots_[socket] != kNobody) close(static_cast<int>(socket));
  }
  close(epoll_);
}

void Connections::add(int socket) {
  if (static_cast<std::size_t>(socket) >= slots_.size()) {
    close(socket);
    throw failure(EMFILE, "descriptors");
  }
  if (++last_number_ == 0) ++last_number_;  // 0 means a free slot
  const Connection connection{.socket = socket, .number = last_number_};
  Slot& slot = slots_[static_cast<std::size_t>(socket)];
  slot = idle_slot(connection);
  ++open_;
  try {
    await_request(EPOLL_CTL_ADD, connection);
  } catch (const std::system_error&) {
    slot = kNobody;
    --open_;
    close(socket);
    throw;
  }
}

std::optional<Connection> Connections::next(std::chrono::milliseconds max_wait) {
  epoll_event event{};
  while (epoll_wait(epoll_, &event, 1, static_cast<int>(max_wait.count())) > 0) {
    const Connection connection = unpacked(event.data.u64);
    if ((event.events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0) {
      if (change_idle(connection, kNobody)) close_one(connection);
      continue;
    }
    if (change_idle(connection, held_slot(connection))) {
      ++held_;
      return connection;
    }
  }
  return std::nullopt;
}

void Connections::release(const Connection& connection) {
  await_request(EPOLL_CTL_MOD, connection);
  --held_;
  // Cleared last, so that no other thread closes a connection that is being released; see
  // change_idle().
  slots_[static_cast<std::size_t>(connection.socket)] = idle_slot(connection);
}

void Connections::remove(const Connection& connection) {
  std::uint64_t expected = held_slot(connection);
  // Otherwise another connection has the descriptor already.
  slots_[static_cast<std::size_t>(connection.socket)].compare_exchange_strong(expected, kNobody);
  --held_;
  --open_;
}

bool Connections::close_idle() {
  bool is_quiet = true;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::uint64_t slot = slots_[i];
    const Connection connection{.socket = static_cast<int>(i),
                                .number = static_cast<std::uint32_t>(slot >> 1U)};
    if (slot == kNobody || slot != idle_slot(connection)) continue;
    if (has_input(connection.socket)) {
      is_quiet = false;
    } else if (std::uint64_t expected = slot;
               slots_[i].compare_exchange_strong(expected, kNobody)) {
      close_one(connection);
    }
  }
  return is_quiet;
}

// Called by the thread that has freed the slot.
void Connections::close_one(const Connection& connection) {
  close(connection.socket);
  --open_;
}

// Sets the slot of an idle connection to "wanted". False if another connection has the slot now. A
// held connection is about to be released by the thread that has just re-armed it.
bool Connections::change_idle(const Connection& connection, std::uint64_t wanted) {
  Slot& slot = slots_[static_cast<std::size_t>(connection.socket)];
  for (;;) {
    std::uint64_t found = idle_slot(connection);
    if (slot.compare_exchange_strong(found, wanted)) return true;
    if (found != held_slot(connection)) return false;
    std::this_thread::yield();
  }
}

void Connections::await_request(int operation, const Connection& connection) const {
  epoll_event event{};
  event.events =
      EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;  // one-shot: only one thread holds it until release()
  event.data.u64 = packed(connection);
  if (epoll_ctl(epoll_, operation, connection.socket, &event) != 0) {
    throw failure(errno, "epoll_ctl");
  }
}

}  // namespace fcgi
