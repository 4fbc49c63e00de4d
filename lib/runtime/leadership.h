#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"

namespace runtime {

// DESIGN. Implements the leader/followers pattern (Schmidt et al., Pattern-Oriented Software
// Architecture, volume 2). One thread in a group is the leader. The leader waits for events and
// handles them one by one. Before doing anything that may block, the leader hands over leadership
// to another thread. As long as nothing blocks, one thread handles all events without context
// switches. If the handlers of many events block, the group works like a thread pool.
//
// If all other threads are busy, the leader waits briefly for a free thread. If no thread becomes
// free in time, hand_over() returns false, and the leader must not block. As a result, the group
// handles events even while all other threads are busy.
//
// Each group of threads has one Leadership object. The class is thread-safe.
class Leadership {
 public:
  // In total, leaders wait for free threads for at most "max_wait" per second.
  explicit Leadership(std::chrono::milliseconds max_wait = std::chrono::milliseconds(200))
      : max_wait_(max_wait) {}

  // Adds "count" threads to the group. Call this function before the new threads call acquire().
  void add_threads(std::size_t count);

  // Waits until the group has no leader and then makes the calling thread the leader.
  void acquire();

  // Ends the calling thread's leadership and removes the thread from the group.
  void leave();

  // Call this function before any operation that may block. If the calling thread is the leader,
  // hands over leadership to another thread in the group. Returns false if all other threads are
  // busy. If hand_over() returns false, the calling thread is still the leader and must not block.
  [[nodiscard]] bool hand_over();

  // Declares that the calling thread will not block before it calls acquire() again. Does nothing
  // if the calling thread has not handed over leadership.
  void rejoin();

  // Returns the number of threads that have handed over leadership and may block.
  [[nodiscard]] std::size_t busy() const {
    const base::MutexLock lock(mutex_);
    return busy_.size();
  }

  // Returns how often hand_over() has returned false.
  [[nodiscard]] std::size_t refusals() const { return refusals_; }

  // Returns whether the calling thread is the leader.
  [[nodiscard]] bool is_held() const { return leader_ == std::this_thread::get_id(); }

 private:
  void become_free() REQUIRES_LOCK(mutex_);
  void wait_for_other_thread() REQUIRES_LOCK(mutex_);
  [[nodiscard]] bool is_last() const REQUIRES_LOCK(mutex_) { return busy_.size() + 1 >= threads_; }
  void end_leadership() REQUIRES_LOCK(mutex_);

  const std::chrono::milliseconds max_wait_;
  std::atomic<std::thread::id> leader_{};  // written only under the mutex
  std::atomic<std::size_t> refusals_ = 0;
  mutable base::Mutex mutex_;
  base::Condition ended_;  // notified when a leadership ends
  base::Condition freed_;  // notified when a thread becomes free
  std::size_t threads_ GUARDED_BY(mutex_) = 0;
  std::set<std::thread::id> busy_ GUARDED_BY(mutex_);         // threads that have handed over
  std::optional<base::Stopwatch> second_ GUARDED_BY(mutex_);  // since the first wait in this second
  std::chrono::milliseconds waited_ GUARDED_BY(mutex_){0};    // total wait in this second
};

}  // namespace runtime
