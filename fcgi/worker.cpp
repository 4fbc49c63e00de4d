#include "fcgi/worker.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "api/serve.h"
#include "base/stopwatch.h"
#include "fcgi/exchange.h"

namespace fcgi {
namespace {

constexpr std::chrono::milliseconds kIdleWait{250};
// How long a busy worker leaves new connections to workers with idle threads.
constexpr std::chrono::milliseconds kBusyWait{50};
constexpr std::chrono::milliseconds kBusyPollInterval{2};
constexpr std::chrono::milliseconds kDrainPollInterval{10};
constexpr std::size_t kMaxConnections = 2048;   // further connections wait in the backlog
constexpr std::size_t kOtherDescriptors = 256;  // for database sessions and other uses

// The limit of the process's descriptors, capped at kMaxConnections.
std::size_t max_connections() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t descriptors = limit.rlim_cur;
  return std::min(
      kMaxConnections,
      std::max(descriptors / 2, descriptors - std::min(descriptors, kOtherDescriptors)));
}

// Makes accept() on "listener" block for at most kIdleWait. These are options of the socket, which
// other worker processes may share.
void bound_accept(int listener) {
  fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) & ~O_NONBLOCK);
  timeval wait{};
  wait.tv_usec = std::chrono::microseconds(kIdleWait).count();
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
}

bool is_waiting_over(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ECONNABORTED;
}

}  // namespace

Worker::Worker(int listener, const api::App& app, const base::Clock& clock)
    : listener_(listener),
      app_(app),
      clock_(clock),
      max_connections_(max_connections()),
      connections_(max_connections_) {
  Exchange::initialise();
  bound_accept(listener_);
}

void Worker::start(unsigned threads) {
  answering_threads_ = threads;
  ++running_;
  threads_.emplace_back([this] { accept_connections(); });
  for (unsigned i = 0; i < threads; ++i) {
    ++running_;
    threads_.emplace_back([this] { answer_requests(); });
  }
}

bool Worker::drain(std::chrono::milliseconds limit) {
  stop();
  const base::Stopwatch stopwatch;
  while (!is_idle() && stopwatch.elapsed() < limit) std::this_thread::sleep_for(kDrainPollInterval);
  return is_idle();
}

Worker::~Worker() {
  stop();
  for (std::thread& thread : threads_) thread.join();
}

void Worker::accept_connections() {
  while (!stopping_) {
    if (connections_.is_full()) {
      wait_for_room();
    } else {
      was_full_ = false;
      leave_to_idle_workers();
      accept_one();
    }
  }
  accepting_ = false;
  --running_;
}

// Waits briefly for an idle thread, because other workers may have some.
void Worker::leave_to_idle_workers() const {
  const base::Stopwatch stopwatch;
  while (connections_.held() >= answering_threads_ && stopwatch.elapsed() < kBusyWait) {
    std::this_thread::sleep_for(kBusyPollInterval);
  }
}

void Worker::wait_for_room() {
  std::this_thread::sleep_for(kIdleWait);
  if (std::exchange(was_full_, true)) return;
  app_.log.warning("connection_limit_reached",
                   {{"limit", max_connections_},
                    {"advice",
                     "nginx's worker processes times keepalive must stay below the limits of all "
                     "workers together; LimitNOFILE bounds them, too"}});
}

void Worker::accept_one() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  try {
    if (socket >= 0) {
      Exchange::prepare(socket);
      connections_.add(socket);
    } else if (!is_waiting_over(errno)) {
      throw std::system_error(errno, std::generic_category(), "accept4");
    }
  } catch (const std::exception& exception) {
    // No descriptor or no memory left: others may give theirs back meanwhile.
    app_.log.error("accept_failed", {{"error", exception.what()}});
    std::this_thread::sleep_for(kIdleWait);
  }
}

void Worker::answer_requests() {
  for (;;) {
    // The last accepted connection came with a request, which gets time to arrive.
    const bool is_last_check = !accepting_;
    const auto connection = connections_.next(kIdleWait);
    if (connection) {
      answer_one(*connection);
    } else if (is_last_check && connections_.close_idle()) {
      break;
    }
  }
  --running_;
}

void Worker::answer_one(const Connections::Connection& connection) {
  try {
    Exchange exchange(connection.socket);
    const bool is_reusable =
        exchange.answer(clock_, [this](const auto& request) { return api::serve(app_, request); });
    // A busy persistent connection is never idle for long, so a stopping worker closes it.
    if (is_reusable && (!stopping_ || has_input(connection.socket))) {
      connections_.release(connection);
      exchange.keep_open();  // only after release(): otherwise it must be closed
      return;
    }
  } catch (const std::exception& exception) {  // no memory: this connection's loss, not all's
    app_.log.error("connection_failed", {{"error", exception.what()}});
  }
  connections_.remove(connection);
}

}  // namespace fcgi
