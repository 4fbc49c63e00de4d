#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "base/stopwatch.h"

namespace runtime {

// DESIGN. Leader and followers (Schmidt et al., Pattern-Oriented Software Architecture, volume 2).
// One thread of a group leads: it waits for events and handles one after the other. Before it does
// anything that may block, it hands over, and another thread of the group leads meanwhile. So
// events are handled by an event loop of one thread, without switching threads, as long as nothing
// blocks, and by a pool of threads otherwise.
//
// The last thread that is not busy does not hand over: it waits briefly for another one, and is
// then told not to block. So events are handled even if all other threads are busy for long.
//
// One group of threads has one Leadership. Safe for concurrent use.
class Leadership {
 public:
  // "max_wait": how long the last free thread waits for another one, in all waits of a second.
  explicit Leadership(std::chrono::milliseconds max_wait = std::chrono::milliseconds(200))
      : max_wait_(max_wait) {}

  // Adds threads to the group. Called before they call acquire().
  void add_threads(std::size_t count);

  // Waits until no thread leads. The calling thread then leads.
  void acquire();

  // Ends the leadership of the calling thread.
  void release();

  // The same, and the thread leaves the group.
  void leave();

  // Called before anything that may block. If the calling thread leads, another thread of the group
  // leads from now on. False if all others are busy: the calling thread still leads and should
  // not block.
  [[nodiscard]] bool hand_over();

  // The calling thread has handed over and will not block any more before it calls acquire().
  void rejoin();

  // How many threads have handed over.
  [[nodiscard]] std::size_t busy() const {
    const base::MutexLock lock(mutex_);
    return busy_.size();
  }

  // How often hand_over() was false.
  [[nodiscard]] std::size_t refusals() const { return refusals_; }

  // Whether the calling thread leads.
  [[nodiscard]] bool is_held() const { return leader_ == std::this_thread::get_id(); }

 private:
  void become_free() REQUIRES_LOCK(mutex_);
  void wait_for_other_thread() REQUIRES_LOCK(mutex_);
  [[nodiscard]] bool is_last() const REQUIRES_LOCK(mutex_) { return busy_.size() + 1 >= threads_; }
  void end_leadership() REQUIRES_LOCK(mutex_);

  const std::chrono::milliseconds max_wait_;
  std::atomic<std::thread::id> leader_{};  // written under the mutex
  std::atomic<std::size_t> refusals_ = 0;
  mutable base::Mutex mutex_;
  base::Condition ended_;  // a leadership
  base::Condition freed_;  // a thread
  std::size_t threads_ GUARDED_BY(mutex_) = 0;
  std::set<std::thread::id> busy_ GUARDED_BY(mutex_);         // have handed over
  std::optional<base::Stopwatch> second_ GUARDED_BY(mutex_);  // since the first wait of this second
  std::chrono::milliseconds waited_ GUARDED_BY(mutex_){0};    // in this second
};

}  // namespace runtime
