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
// How long new connections are left to workers that have idle threads.
constexpr std::chrono::milliseconds kBusyWait{50};
constexpr std::chrono::milliseconds kBusyLook{2};
constexpr std::chrono::milliseconds kDrainLook{10};
constexpr std::size_t kMostConnections = 2048;  // what comes then waits to be accepted
constexpr std::size_t kOtherDescriptors = 256;  // of database sessions and the like

// As many as the process's descriptors allow, and a sound number at most.
std::size_t most_connections() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t descriptors = limit.rlim_cur;
  return std::min(
      kMostConnections,
      std::max(descriptors / 2, descriptors - std::min(descriptors, kOtherDescriptors)));
}

// Makes accept() on "listener" wait, and return at least each kIdleWait. Both belong to the socket,
// which other processes may share; they are workers like this one.
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
      most_connections_(most_connections()),
      connections_(most_connections_) {
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
  while (!is_idle() && stopwatch.elapsed() < limit) std::this_thread::sleep_for(kDrainLook);
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

// Waits for an idle thread, a short time at most: other workers may have some.
void Worker::leave_to_idle_workers() const {
  const base::Stopwatch stopwatch;
  while (connections_.held() >= answering_threads_ && stopwatch.elapsed() < kBusyWait) {
    std::this_thread::sleep_for(kBusyLook);
  }
}

void Worker::wait_for_room() {
  std::this_thread::sleep_for(kIdleWait);
  if (std::exchange(was_full_, true)) return;
  app_.log.warning("connection_limit_reached",
                   {{"limit", most_connections_},
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
    // What was accepted last was so for a request, which gets its time to come.
    const bool is_last_look = !accepting_;
    const auto connection = connections_.next(kIdleWait);
    if (connection) {
      answer_one(*connection);
    } else if (is_last_look && connections_.close_idle()) {
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
    // A kept one that is busy is never idle for long: a worker that stops lets it go.
    if (is_reusable && (!stopping_ || has_input(connection.socket))) {
      connections_.give_back(connection);
      exchange.keep_open();  // and no earlier: what cannot be given back is to be closed
      return;
    }
  } catch (const std::exception& exception) {  // no memory: this connection's loss, not all's
    app_.log.error("connection_failed", {{"error", exception.what()}});
  }
  connections_.forget(connection);
}

}  // namespace fcgi
