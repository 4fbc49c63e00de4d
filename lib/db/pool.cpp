#include "db/pool.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace db {

struct Pool::Shared {
  Shared(Endpoint of_sessions, unsigned most, std::chrono::milliseconds longest,
         base::Leadership* leading)
      : endpoint(std::move(of_sessions)),
        max_sessions(most),
        max_wait(longest),
        leadership(leading),
        free(most) {}

  const Endpoint endpoint;
  const unsigned max_sessions;
  const std::chrono::milliseconds max_wait;
  base::Leadership* const leadership;
  mutable base::Mutex mutex;
  base::Condition given_back;
  unsigned free GUARDED_BY(mutex);  // leases that may still be taken
  std::vector<std::unique_ptr<Connection>> idle GUARDED_BY(mutex);  // open and unused
};

// Guarded by the mutex of the sessions.
struct Pool::Users {
  unsigned sessions = 0, waiting = 0;
};

Pool::Pool(Endpoint endpoint, unsigned sessions, std::chrono::milliseconds max_wait,
           base::Leadership* leadership)
    : shared_(std::make_shared<Shared>(std::move(endpoint), sessions, max_wait, leadership)),
      table_prefix_(shared_->endpoint.table_prefix),
      most_(sessions),
      most_waiting_(std::numeric_limits<unsigned>::max()),
      users_(std::make_shared<Users>()) {}

Pool::Pool(const Pool& other, std::string prefix, unsigned most, unsigned most_waiting)
    : shared_(other.shared_),
      table_prefix_(std::move(prefix)),
      most_(most),
      most_waiting_(most_waiting),
      users_(std::make_shared<Users>()) {}

Pool::~Pool() = default;

void Pool::prepare_to_wait() const {
  base::Leadership* const leadership = shared_->leadership;
  if (leadership == nullptr || leadership->hand_over()) return;
  throw SessionsBusy(0, "all threads are busy");
}

std::chrono::milliseconds Pool::max_wait() const { return shared_->max_wait; }

Pool::Sessions Pool::sessions() const {
  const base::MutexLock lock(shared_->mutex);
  return {shared_->max_sessions - shared_->free, shared_->idle.size()};
}

void Pool::Lease::acquire() {
  Shared& shared = *pool_.shared_;
  age_ = {};
  pool_.prepare_to_wait();
  const base::MutexLock lock(shared.mutex);
  Users& users = *pool_.users_;
  ++users.waiting;
  while (shared.free == 0 || users.sessions >= pool_.most_) {
    const auto waited = age_.elapsed();
    if (waited >= shared.max_wait || users.waiting > pool_.most_waiting_) {
      --users.waiting;
      throw SessionsBusy(0, "all database sessions are busy");
    }
    shared.given_back.wait_for(shared.mutex, shared.max_wait - waited);
  }
  --users.waiting;
  --shared.free;
  ++users.sessions;
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
  {
    const base::MutexLock lock(shared.mutex);
    ++shared.free;
    --pool_.users_->sessions;
    if (connection_ != nullptr) shared.idle.push_back(std::move(connection_));
  }
  is_held_ = false;
  // The next one that waits may be of a site that has its share already.
  const bool are_several = pool_.most_ < shared.max_sessions;
  are_several ? shared.given_back.notify_all() : shared.given_back.notify_one();
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
