#pragma once

#include <chrono>

#include "base/mutex.h"
#include "base/stopwatch.h"

namespace base {

// Lets a few in at a time. Some more may wait for their turn, for a bounded time; the others are
// turned away at once, so that whatever is slow inside cannot hold all threads. Safe for concurrent
// use.
class Semaphore {
 public:
  struct Bounds {
    int inside;                          // at a time
    int waiting;                         // at a time
    std::chrono::milliseconds patience;  // of each who waits
  };
  explicit Semaphore(Bounds bounds) : bounds_(bounds) {}

  // One visit, which ends with this object.
  class Permit {
   public:
    explicit Permit(Semaphore& gate) : gate_(gate), is_inside_(gate.enter()) {}
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit() {
      if (is_inside_) gate_.leave();
    }

    // False if there was no room.
    [[nodiscard]] bool is_inside() const { return is_inside_; }

   private:
    Semaphore& gate_;
    const bool is_inside_;
  };

 private:
  bool enter() {
    const MutexLock lock(mutex_);
    const Stopwatch stopwatch;
    if (inside_ >= bounds_.inside && waiting_ >= bounds_.waiting) return false;
    ++waiting_;
    while (inside_ >= bounds_.inside && stopwatch.elapsed() < bounds_.patience) {
      left_.wait_for(mutex_, bounds_.patience - stopwatch.elapsed());
    }
    --waiting_;
    if (inside_ >= bounds_.inside) return false;
    ++inside_;
    return true;
  }

  void leave() {
    const MutexLock lock(mutex_);
    --inside_;
    left_.notify_one();
  }

  const Bounds bounds_;
  Mutex mutex_;
  Condition left_;
  int inside_ GUARDED_BY(mutex_) = 0;
  int waiting_ GUARDED_BY(mutex_) = 0;
};

}  // namespace base
