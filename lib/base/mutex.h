#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

// A mutex for Clang's thread safety analysis (-Wthread-safety). The GUARDED_BY attribute names the
// mutex that protects a member. Clang rejects code that uses a member with the GUARDED_BY attribute
// without holding the named mutex. Other compilers ignore the attributes
// (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html).
#if defined(__clang__)
#define RATINGD_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define RATINGD_THREAD_ATTRIBUTE(x)
#endif
#define GUARDED_BY(mutex) RATINGD_THREAD_ATTRIBUTE(guarded_by(mutex))
#define REQUIRES_LOCK(mutex) RATINGD_THREAD_ATTRIBUTE(requires_capability(mutex))

namespace base {

class RATINGD_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  ~Mutex() = default;

  void lock() RATINGD_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() RATINGD_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

class RATINGD_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) RATINGD_THREAD_ATTRIBUTE(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() RATINGD_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

// A condition variable for Mutex. Test the condition in a loop, because spurious wakeups occur.
class Condition {
 public:
  void wait(Mutex& mutex) REQUIRES_LOCK(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();  // the caller still holds the lock
  }

  // Returns false if "duration" has passed without a notification.
  bool wait_for(Mutex& mutex, std::chrono::milliseconds duration) REQUIRES_LOCK(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool woken = condition_.wait_for(lock, duration) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }

  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace base
