#include "base/leadership.h"

#include "base/stopwatch.h"

namespace base {

void Leadership::add_threads(std::size_t count) {
  const MutexLock lock(mutex_);
  threads_ += count;
}

void Leadership::acquire() {
  const MutexLock lock(mutex_);
  unblock();
  while (leader_.load() != std::thread::id()) ended_.wait(mutex_);
  leader_ = std::this_thread::get_id();
}

void Leadership::release() {
  const MutexLock lock(mutex_);
  end_leadership();
}

bool Leadership::hand_over() {
  if (!is_held()) return true;
  const MutexLock lock(mutex_);
  wait_for_other_thread();
  if (is_last()) return false;
  blocked_.insert(std::this_thread::get_id());
  end_leadership();
  return true;
}

void Leadership::rejoin() {
  if (is_held()) return;
  const MutexLock lock(mutex_);
  unblock();
}

void Leadership::unblock() {
  if (blocked_.erase(std::this_thread::get_id()) == 0) return;
  has_waited_in_vain_ = false;
  unblocked_.notify_one();
}

// Waits once while all other threads are blocked, not for each event.
void Leadership::wait_for_other_thread() {
  const Stopwatch stopwatch;
  while (is_last() && !has_waited_in_vain_) {
    const auto waited = stopwatch.elapsed();
    has_waited_in_vain_ = waited >= max_wait_;
    if (!has_waited_in_vain_) unblocked_.wait_for(mutex_, max_wait_ - waited);
  }
}

void Leadership::end_leadership() {
  leader_ = std::thread::id();
  ended_.notify_one();
}

}  // namespace base
