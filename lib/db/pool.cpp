#include "db/pool.h"

#include <utility>

namespace db {

Pool::Pool(Endpoint endpoint, unsigned sessions, std::chrono::milliseconds max_wait,
           base::Leadership* leadership)
    : endpoint_(std::move(endpoint)),
      max_sessions_(sessions),
      max_wait_(max_wait),
      leadership_(leadership),
      free_(sessions) {}

Pool::~Pool() = default;

void Pool::prepare_to_wait() const {
  if (leadership_ == nullptr || leadership_->hand_over()) return;
  throw SessionsBusy(0, "all threads are busy");
}

Pool::Sessions Pool::sessions() const {
  const base::MutexLock lock(mutex_);
  return {max_sessions_ - free_, idle_.size()};
}

void Pool::Lease::acquire() {
  age_ = {};
  pool_.prepare_to_wait();
  const base::MutexLock lock(pool_.mutex_);
  while (pool_.free_ == 0) {
    const auto waited = age_.elapsed();
    if (waited >= pool_.max_wait_) throw SessionsBusy(0, "all database sessions are busy");
    pool_.given_back_.wait_for(pool_.mutex_, pool_.max_wait_ - waited);
  }
  --pool_.free_;
  is_held_ = true;
  std::erase_if(pool_.idle_, [](const auto& connection) {
    return connection->is_outdated() || connection->is_expired();
  });
  if (!pool_.idle_.empty()) {
    connection_ = std::move(pool_.idle_.back());
    pool_.idle_.pop_back();
  }
}

void Pool::Lease::release() {
  if (!is_held_) return;
  {
    const base::MutexLock lock(pool_.mutex_);
    ++pool_.free_;
    if (connection_ != nullptr) pool_.idle_.push_back(std::move(connection_));
  }
  is_held_ = false;
  pool_.given_back_.notify_one();
}

Connection& Pool::Lease::connection() {
  if (!is_held_) acquire();
  if (connection_ == nullptr) connection_ = std::make_unique<Connection>(pool_.endpoint_);
  return *connection_;
}

}  // namespace db
