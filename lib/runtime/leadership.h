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

// DESIGN. Leader and followers (Schmidt et al., Pattern-Oriented Software Architecture, volume 2).
// One thread in a group leads. The leader waits for events and handles them one by one. Before the
// leader does anything that may block, it hands over leadership to another thread. So while nothing
// blocks, one thread handles all events in a loop, without context switches. Otherwise, the group
// works like a thread pool.
//
// If all other threads are busy, the leader waits briefly for a free thread. If no thread becomes
// free, hand_over() fails and the leader must not block. So events are handled even if all other
// threads are busy for a long time.
//
// Each group of threads has one Leadership. Safe for concurrent use.
class Leadership {
 public:
  // "max_wait" limits the time that leaders wait for a free thread. The limit applies to all waits
  // within one second together.
  explicit Leadership(std::chrono::milliseconds max_wait = std::chrono::milliseconds(200))
      : max_wait_(max_wait) {}

  // Adds threads to the group. Call it before these threads call acquire().
  void add_threads(std::size_t count);

  // Waits for the current leader, if any, to give up leadership. Afterwards, the calling thread
  // leads.
  void acquire();

  // Ends the calling thread's leadership.
  void release();

  // Ends the calling thread's leadership and removes the thread from the group.
  void leave();

  // Call this function before anything that may block. If the calling thread leads, hands over
  // leadership to another thread in the group. Returns false if all other threads are busy. In this
  // case, the calling thread still leads and should not block.
  [[nodiscard]] bool hand_over();

  // Declares that the calling thread will not block until the next acquire(). Has an effect only if
  // the thread has handed over leadership.
  void rejoin();

  // Returns the number of threads that have handed over leadership and may block.
  [[nodiscard]] std::size_t busy() const {
    const base::MutexLock lock(mutex_);
    return busy_.size();
  }

  // Returns how often hand_over() has returned false.
  [[nodiscard]] std::size_t refusals() const { return refusals_; }

  // Returns whether the calling thread leads.
  [[nodiscard]] bool is_held() const { return leader_ == std::this_thread::get_id(); }

 private:
  void become_free() REQUIRES_LOCK(mutex_);
  void wait_for_other_thread() REQUIRES_LOCK(mutex_);
  [[nodiscard]] bool is_last() const REQUIRES_LOCK(mutex_) { return busy_.size() + 1 >= threads_; }
  void end_leadership() REQUIRES_LOCK(mutex_);

  const std::chrono::milliseconds max_wait_;
  std::atomic<std::thread::id> leader_{};  // only written under the mutex
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
