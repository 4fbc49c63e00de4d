#include "fcgi/worker.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>
#include <variant>

#include "base/clock.h"

namespace fcgi {
namespace {

using namespace std::chrono_literals;
using runtime::Gauge;

constexpr std::chrono::milliseconds kIdleWait{250};
// The maximum time that a busy worker waits for workers with idle threads to accept new
// connections.
constexpr std::chrono::milliseconds kBusyWait{50};
constexpr std::chrono::milliseconds kBusyPollInterval{2};
constexpr std::chrono::milliseconds kDrainPollInterval{10};
constexpr std::chrono::minutes kReportInterval{1};
constexpr std::size_t kMaxConnections = 2048;   // additional connections wait in the backlog
constexpr std::size_t kOtherDescriptors = 256;  // descriptors for database sessions and other uses

// Returns the maximum number of connections: the process's limit on descriptors, capped at
// kMaxConnections.
std::size_t max_connections() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t descriptors = limit.rlim_cur;
  return std::min(
      kMaxConnections,
      std::max(descriptors / 2, descriptors - std::min(descriptors, kOtherDescriptors)));
}

// Makes accept() on "listener" block for at most kIdleWait. The settings also apply to other worker
// processes that share the listening socket.
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

Worker::Worker(int listener, Sites& sites, const base::Clock& clock)
    : listener_(listener),
      sites_(sites),
      app_(sites.first().app()),
      clock_(clock),
      max_connections_(max_connections()),
      connections_(max_connections_),
      waiting_(app_.voting.writer.deadline(), [this] { connections_.wake(); }) {
  Exchange::initialize();
  bound_accept(listener_);
}

void Worker::start(unsigned threads) {
  threads_that_may_wait_ = threads;
  app_.front.leadership.add_threads(threads + 1);
  ++running_;
  threads_.emplace_back([this] { accept_connections(); });
  for (unsigned i = 0; i <= threads; ++i) {  // one more thread for the leader
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

void Worker::join(runtime::Workers& workers) const {
  if (!workers.join()) {
    app_.core.log.warning("worker_slots_exhausted",
                          {{"advice",
                            "/metrics already shows the maximum number of workers; this worker "
                            "serves and counts requests, but is not shown"}});
  }
  const auto started = std::chrono::floor<std::chrono::seconds>(clock_.now()).time_since_epoch();
  workers.show(Gauge::started_at, static_cast<std::uint64_t>(started.count()));
}

void Worker::publish(runtime::Workers& workers) const {
  workers.show(Gauge::processes, app_.monitoring.configured_workers);
  workers.show(Gauge::threads, threads_that_may_wait_);
  workers.show(Gauge::threads_busy, busy());
  workers.show(Gauge::queue_limit, app_.voting.writer.queue_limit());
  std::size_t queue = 0;
  bool is_disk_full = false;
  sites_.for_each_loaded([&](const auto& service) {
    queue += service->app().voting.writer.waiting();
    is_disk_full |= service->app().voting.writer.is_disk_full();
  });
  workers.show(Gauge::queue, queue);
  workers.show(Gauge::unanswered_votes, unanswered_votes());
  workers.show(Gauge::disk_full, is_disk_full ? 1 : 0);
  const auto reads = app_.core.sessions.sessions();
  workers.show(Gauge::sessions_busy, reads.busy);
  workers.show(Gauge::sessions_idle, reads.idle);
  workers.show(Gauge::statements, *app_.transfers.endpoint.statements);
  const auto analytics = app_.analytics.sessions.sessions();
  workers.show(Gauge::analytics_sessions_busy, analytics.busy);
  workers.show(Gauge::analytics_sessions_idle, analytics.idle);
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

// If this worker has no free thread, waits briefly, so that a worker with a free thread can accept
// the next connection.
void Worker::leave_to_idle_workers() const {
  const base::Stopwatch stopwatch;
  while (busy() >= threads_that_may_wait_ && stopwatch.elapsed() < kBusyWait) {
    std::this_thread::sleep_for(kBusyPollInterval);
  }
}

void Worker::wait_for_room() {
  std::this_thread::sleep_for(kIdleWait);
  if (std::exchange(was_full_, true)) return;
  app_.core.log.warning(
      "connection_limit_reached",
      {{"limit", max_connections_},
       {"advice",
        "in nginx, worker_processes times keepalive must be less than the sum of all workers' "
        "limits; LimitNOFILE may lower these limits"}});
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
    // accept4() fails if no descriptor or memory is left. Other threads or processes may release
    // descriptors or memory, so try again later.
    app_.core.log.error("accept_failed", {{"error", exception.what()}});
    std::this_thread::sleep_for(kIdleWait);
  }
}

void Worker::answer_requests() {
  for (bool ends = false; !ends;) {
    app_.front.leadership.acquire();
    ends = lead();
  }
  app_.front.leadership.leave();
  --running_;
}

// Handles events. Returns false if the calling thread is no longer the leader. Returns true if the
// worker is stopping, nothing is left to do, and the calling thread is still the leader.
bool Worker::lead() {
  while (app_.front.leadership.is_held()) {
    const auto connection = connections_.next(
        has_ended_ && waiting_.size() == 0 ? 0ms : waiting_.until_next_deadline(kIdleWait));
    if (connection) guarded([&] { begin(*connection); });
    if (!app_.front.leadership.is_held()) break;
    for (auto& request : waiting_.take_due()) guarded([&] { finish(std::move(request)); });
    if (!app_.front.leadership.is_held()) break;
    report_refusals();
    if (!connection && has_time_to_arrive_passed() && waiting_.size() == 0 &&
        connections_.close_idle()) {
      has_ended_ = true;
      return true;
    }
  }
  return false;
}

// Logs at most once a minute that requests were rejected because no thread was free.
void Worker::report_refusals() {
  const std::size_t refusals = app_.front.leadership.refusals();
  if (refusals == reported_refusals_) return;
  if (since_report_ && since_report_->elapsed() < kReportInterval) return;
  app_.core.log.warning("threads_exhausted",
                        {{"refused", refusals - reported_refusals_},
                         {"threads", threads_that_may_wait_},
                         {"advice",
                          "if the database is running many of ratingd's statements, check its "
                          "load; otherwise, look for slow clients, exports and imports, or "
                          "increase the threads option"}});
  reported_refusals_ = refusals;
  since_report_.emplace();
}

// Returns whether the worker stopped accepting connections at least kIdleWait ago. The first
// request on an accepted connection may take up to kIdleWait to arrive.
bool Worker::has_time_to_arrive_passed() {
  if (accepting_) return false;
  if (!since_last_accept_) since_last_accept_.emplace();
  return since_last_accept_->elapsed() >= kIdleWait;
}

// Calls "work". If "work" throws, for example because an allocation fails, only one request and its
// connection are lost.
template <typename Work>
void Worker::guarded(const Work& work) {
  try {
    work();
  } catch (const std::exception& exception) {
    app_.core.log.error("connection_failed", {{"error", exception.what()}});
  }
}

// Reads a request. If the request is a vote, passes the vote to the vote writer, and otherwise
// answers the request.
void Worker::begin(const Connections::Connection& connection) {
  auto request = std::make_unique<OpenRequest>(connections_, connection);
  // The web server may never send the rest of an incomplete request. If no thread is free to wait
  // for the rest of the request, the connection is closed, and the web server must send the request
  // again.
  if (!Exchange::has_whole_request(connection.socket) && !app_.front.leadership.hand_over()) return;
  if (!request->exchange.read(clock_)) return;
  const auto site = sites_.find(request->exchange.request().host, request->exchange.request().path);
  if (!site->is_open()) {
    answer(*request, dispatch::refuse(app_, request->exchange.request(),
                                      {api::ErrorCode::site_closed, site->closed()}));
    return;
  }
  request->service = site->for_request();
  if (request->service == nullptr) {
    if (!app_.front.leadership.hand_over()) return;
    request->service = sites_.load(*site);
    if (request->service == nullptr) return;  // the web server sends a 503 response
  }
  const api::App& app = request->service->app();
  begin(std::move(request), app);
}

void Worker::begin(std::unique_ptr<OpenRequest> request, const api::App& app) {
  auto step = request->serving.emplace(app, request->exchange.request()).begin();
  if (auto* vote_request = std::get_if<votes::VoteRequest>(&step)) {
    write(std::move(request), std::move(*vote_request));
  } else {
    answer(*request, std::get<http::Response>(step));
  }
}

// Passes a vote to the vote writer.
void Worker::write(std::unique_ptr<OpenRequest> request, votes::VoteRequest vote_request) {
  votes::VoteWriter& vote_writer = request->service->app().voting.writer;
  const auto vote = waiting_.add(std::move(request), std::move(vote_request));
  if (vote_writer.begin(vote)) return;
  if (const auto refused = waiting_.take(*vote)) {
    answer(*refused, refused->serving->finish(tl::unexpected(votes::WriteError::queue_full)));
  }
}

// Answers a vote request whose vote is complete or has waited too long.
void Worker::finish(std::unique_ptr<OpenRequest> request) {
  votes::VoteWriter& vote_writer = request->service->app().voting.writer;
  answer(*request, request->serving->finish(vote_writer.result_or_abandon(*request->vote)));
}

void Worker::answer(OpenRequest& request, const http::Response& response) {
  const bool is_quick = request.exchange.is_quick(response);
  if (is_quick)
    app_.front.leadership.rejoin();  // rejoin before the client can send its next request
  const bool may_wait = is_quick || app_.front.leadership.hand_over();
  // A stopping worker closes each connection after a response unless the next request has already
  // arrived, because a busy connection may never become idle.
  if (request.exchange.answer(response, may_wait) && (!stopping_ || has_input(request.socket()))) {
    request.keep_connection();
  }
}

}  // namespace fcgi
