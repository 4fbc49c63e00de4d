#include "db/pool.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace db {

// The state shared by a pool and its copies: the limits, the number of sessions in use, and the
// number of waiting callers. Shared::mutex guards them.
struct Pool::Users {
  const unsigned most, most_waiting;
  unsigned sessions = 0, waiting = 0;
};

struct Pool::Shared {
  struct Waiter {
    Users& users;
    base::Condition condition = {};
    bool has_session = false;
  };

  Shared(Endpoint of_sessions, unsigned most, std::chrono::milliseconds longest,
         runtime::Leadership* leading)
      : endpoint(std::move(of_sessions)),
        max_sessions(most),
        max_wait(longest),
        leadership(leading),
        free(most) {}

  bool take(Users& users) REQUIRES_LOCK(mutex);
  void give_back(Users& users) REQUIRES_LOCK(mutex);
  void wait_for_session(Users& users, const base::Stopwatch& age) REQUIRES_LOCK(mutex);

  const Endpoint endpoint;
  const unsigned max_sessions;
  const std::chrono::milliseconds max_wait;
  runtime::Leadership* const leadership;
  mutable base::Mutex mutex;
  unsigned free GUARDED_BY(mutex);  // sessions that can still be leased
  std::vector<std::unique_ptr<Connection>> idle GUARDED_BY(mutex);  // open and unused
  std::vector<Waiter*> waiting GUARDED_BY(mutex);                   // in the order of arrival
};

// Acquires a session for a pool with the state "users". Returns false if no session is free, or if
// the pool is already using its maximum number of sessions.
bool Pool::Shared::take(Users& users) {
  if (free == 0 || users.sessions >= users.most) return false;
  --free;
  ++users.sessions;
  return true;
}

// Hands the session to the first waiting caller whose pool uses fewer sessions than its maximum.
void Pool::Shared::give_back(Users& users) {
  ++free;
  --users.sessions;
  for (Waiter* const waiter : waiting) {
    if (waiter->has_session || !take(waiter->users)) continue;
    waiter->has_session = true;
    waiter->condition.notify_one();
    return;
  }
}

// Throws SessionsBusy if no session becomes free in time.
void Pool::Shared::wait_for_session(Users& users, const base::Stopwatch& age) {
  Waiter waiter{users};
  if (users.waiting < users.most_waiting) {
    ++users.waiting;
    waiting.push_back(&waiter);
    for (auto waited = age.elapsed(); !waiter.has_session && waited < max_wait;
         waited = age.elapsed()) {
      waiter.condition.wait_for(mutex, max_wait - waited);
    }
    std::erase(waiting, &waiter);
    --users.waiting;
  }
  if (!waiter.has_session) throw SessionsBusy(0, "all database sessions are busy");
}

Pool::Pool(Endpoint endpoint, unsigned sessions, std::chrono::milliseconds max_wait,
           runtime::Leadership* leadership)
    : shared_(std::make_shared<Shared>(std::move(endpoint), sessions, max_wait, leadership)),
      table_prefix_(shared_->endpoint.table_prefix),
      users_(std::make_shared<Users>(Users{sessions, std::numeric_limits<unsigned>::max()})) {}

Pool::Pool(const Pool& other, std::string prefix, unsigned most, unsigned most_waiting)
    : shared_(other.shared_),
      table_prefix_(std::move(prefix)),
      users_(std::make_shared<Users>(Users{most, most_waiting})) {}

Pool::~Pool() = default;

void Pool::prepare_to_wait() const {
  runtime::Leadership* const leadership = shared_->leadership;
  if (leadership == nullptr || leadership->hand_over()) return;
  throw SessionsBusy(0, "all threads are busy");
}

std::chrono::milliseconds Pool::max_wait() const { return shared_->max_wait; }

bool Pool::close_unused(std::chrono::milliseconds limit) const {
  const base::MutexLock lock(shared_->mutex);
  std::size_t closed = std::erase_if(
      shared_->idle, [&](const auto& connection) { return connection->idle_time() >= limit; });
  for (const auto& connection : shared_->idle) closed += connection->drop_unused(limit);
  return closed > 0;
}

Pool::Sessions Pool::sessions() const {
  const base::MutexLock lock(shared_->mutex);
  return {shared_->max_sessions - shared_->free, shared_->idle.size(), shared_->waiting.size()};
}

void Pool::Lease::acquire() {
  Shared& shared = *pool_.shared_;
  age_ = {};
  pool_.prepare_to_wait();
  const base::MutexLock lock(shared.mutex);
  if (!shared.take(*pool_.users_)) shared.wait_for_session(*pool_.users_, age_);
  is_held_ = true;
  std::erase_if(shared.idle, [](const auto& connection) {
    return connection->is_outdated() || connection->is_expired();
  });
  if (shared.idle.empty()) return;
  auto best = std::ranges::find_if(shared.idle, [&](const auto& connection) {
    return connection->knows_tables(pool_.table_prefix_);
  });
  if (best == shared.idle.end()) --best;
  connection_ = std::move(*best);
  shared.idle.erase(best);
  connection_->use_tables(pool_.table_prefix_);
}

void Pool::Lease::release() {
  if (!is_held_) return;
  Shared& shared = *pool_.shared_;
  const base::MutexLock lock(shared.mutex);
  if (connection_ != nullptr) shared.idle.push_back(std::move(connection_));
  shared.give_back(*pool_.users_);
  is_held_ = false;
}

Connection& Pool::Lease::connection() {
  if (!is_held_) acquire();
  if (connection_ == nullptr) {
    connection_ = std::make_unique<Connection>(pool_.shared_->endpoint);
    connection_->use_tables(pool_.table_prefix_);
  }
  return *connection_;
}

}  // namespace db
