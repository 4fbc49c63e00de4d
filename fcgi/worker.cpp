#include "fcgi/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "api/serve.h"
#include "fcgi/exchange.h"

namespace fcgi {
namespace {

constexpr std::chrono::milliseconds kIdleWait{250};

// Makes accept() on "listener" wait, and return at least each kIdleWait. Both belong to the socket,
// which other processes may share; they are workers like this one.
void bound_accept(int listener) {
  fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) & ~O_NONBLOCK);
  timeval wait{};
  wait.tv_usec = std::chrono::microseconds(kIdleWait).count();
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
}

// Counts a thread as long as it is at work.
class Busy {
 public:
  explicit Busy(std::atomic<unsigned>& count) : count_(count) { ++count_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { --count_; }

 private:
  std::atomic<unsigned>& count_;
};

bool is_waiting_over(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ECONNABORTED;
}

}  // namespace

Worker::Worker(int listener, const api::App& app, const base::Clock& clock)
    : listener_(listener), app_(app), clock_(clock) {
  Exchange::initialise();
  bound_accept(listener_);
}

void Worker::start(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { run(); });
    ++running_;
  }
}

Worker::~Worker() {
  stop();
  for (std::thread& thread : threads_) thread.join();
}

void Worker::run() {
  while (!stopping_) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) {
      try {
        serve_connection(connection);
      } catch (const std::exception& exception) {  // no memory: this connection's loss, not all's
        app_.log.error("connection_failed", {{"what", exception.what()}});
      }
    } else if (!is_waiting_over(errno)) {
      // No descriptor or no memory left: others may give theirs back meanwhile.
      app_.log.error("accept_failed", {{"what", std::strerror(errno)}});
      std::this_thread::sleep_for(kIdleWait);
    }
  }
  --running_;
}

void Worker::serve_connection(int connection) {
  Exchange exchange(connection);
  const auto serve = [this](const http::Request& request) { return api::serve(app_, request); };
  bool is_new = true;
  bool goes_on = true;
  while (goes_on && wait_for_request(connection, is_new)) {
    const Busy busy(busy_);
    goes_on = exchange.answer_one(clock_, serve);
    is_new = false;
  }
}

// False when the peer has gone, or nothing has come and the worker stops. A new connection was made
// for a request, which gets its time to come even then. A kept one that is busy is never idle for
// long: when the worker stops, only what is here already counts.
bool Worker::wait_for_request(int connection, bool is_new) const {
  for (;;) {
    pollfd waiting{.fd = connection, .events = POLLIN, .revents = 0};
    const int patience = stopping_ && !is_new ? 0 : static_cast<int>(kIdleWait.count());
    const int ready = poll(&waiting, 1, patience);
    if (ready > 0) return (waiting.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
    if (ready < 0 && errno != EINTR) return false;
    if (stopping_) return false;
  }
}

}  // namespace fcgi
