#pragma once

#include <chrono>

#include "base/clock.h"
#include "base/mutex.h"

namespace runtime {

// A counting semaphore that limits how many callers wait, and for how long. At most "waiting"
// callers wait for a permit, and each caller waits for at most "max_wait". Additional callers are
// rejected immediately, so slow operations cannot occupy all threads. The class is thread-safe.
class Semaphore {
 public:
  struct Bounds {
    int permits;                         // maximum number of permits in use
    int waiting;                         // maximum number of waiting callers
    std::chrono::milliseconds max_wait;  // maximum wait for each caller
  };
  explicit Semaphore(Bounds bounds) : bounds_(bounds) {}

  // Acquires a permit and releases it in the destructor.
  class Permit {
   public:
    explicit Permit(Semaphore& semaphore)
        : semaphore_(semaphore), is_granted_(semaphore.acquire()) {}
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit() {
      if (is_granted_) semaphore_.release();
    }

    // Returns false if no permit was available.
    [[nodiscard]] bool is_granted() const { return is_granted_; }

   private:
    Semaphore& semaphore_;
    const bool is_granted_;
  };

 private:
  bool acquire() {
    const base::MutexLock lock(mutex_);
    const base::Stopwatch stopwatch;
    if (in_use_ >= bounds_.permits && waiting_ >= bounds_.waiting) return false;
    ++waiting_;
    while (in_use_ >= bounds_.permits && stopwatch.elapsed() < bounds_.max_wait) {
      released_.wait_for(mutex_, bounds_.max_wait - stopwatch.elapsed());
    }
    --waiting_;
    if (in_use_ >= bounds_.permits) return false;
    ++in_use_;
    return true;
  }

  void release() {
    const base::MutexLock lock(mutex_);
    --in_use_;
    released_.notify_one();
  }

  const Bounds bounds_;
  base::Mutex mutex_;
  base::Condition released_;
  int in_use_ GUARDED_BY(mutex_) = 0;
  int waiting_ GUARDED_BY(mutex_) = 0;
};

}  // namespace runtime
