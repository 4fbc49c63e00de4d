#include "runtime/leadership.h"

namespace runtime {

void Leadership::add_threads(std::size_t count) {
  const base::MutexLock lock(mutex_);
  threads_ += count;
}

void Leadership::acquire() {
  const base::MutexLock lock(mutex_);
  become_free();
  while (leader_.load() != std::thread::id()) ended_.wait(mutex_);
  leader_ = std::this_thread::get_id();
}

void Leadership::leave() {
  const base::MutexLock lock(mutex_);
  --threads_;
  end_leadership();
}

bool Leadership::hand_over() {
  if (!is_held()) return true;
  const base::MutexLock lock(mutex_);
  wait_for_other_thread();
  if (is_last()) {
    ++refusals_;
    return false;
  }
  busy_.insert(std::this_thread::get_id());
  end_leadership();
  return true;
}

void Leadership::rejoin() {
  if (is_held()) return;
  const base::MutexLock lock(mutex_);
  become_free();
}

void Leadership::become_free() {
  if (busy_.erase(std::this_thread::get_id()) > 0) freed_.notify_one();
}

// Waits only for a limited time per second, because no thread handles events while the leader
// waits.
void Leadership::wait_for_other_thread() {
  if (!second_ || second_->elapsed() >= std::chrono::seconds(1)) {
    second_.emplace();
    waited_ = std::chrono::milliseconds(0);
  }
  const base::Stopwatch stopwatch;
  const std::chrono::milliseconds before = waited_;
  while (is_last() && waited_ < max_wait_) {
    freed_.wait_for(mutex_, max_wait_ - waited_);
    waited_ = before + stopwatch.elapsed();
  }
}

void Leadership::end_leadership() {
  leader_ = std::thread::id();
  ended_.notify_one();
}

}  // namespace runtime
