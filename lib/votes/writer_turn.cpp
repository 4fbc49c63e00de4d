#include "votes/writer_turn.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "base/clock.h"

namespace votes {
namespace {

using std::chrono::nanoseconds;

// The interval at which a waiting writer tries to take a lock. If the process that holds a lock
// dies, the kernel does not wake the waiting writers.
constexpr std::chrono::milliseconds kCheckInterval{2};

// Waits until another process changes the value of "word", but not longer than "max_wait".
void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value, nanoseconds max_wait) {
  const timespec limit{.tv_sec = 0,
                       .tv_nsec = std::min<nanoseconds>(max_wait, kCheckInterval).count()};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

}  // namespace

WriterTurn::WriterTurn(const runtime::SharedMemory& memory)
    : memory_(memory), segment_(memory.as<Segment>()) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
}

bool WriterTurn::acquire(std::chrono::milliseconds max_wait) {
  const nanoseconds limit = waits_in_vain_ ? nanoseconds(0) : nanoseconds(max_wait);
  const base::Stopwatch stopwatch;
  if (wait_for(Lock::next, limit)) {
    is_held_ = wait_for(Lock::turn, limit - stopwatch.elapsed_exactly());
    unlock(Lock::next);
  }
  waits_in_vain_ = !is_held_;
  return is_held_;
}

void WriterTurn::release() {
  if (is_held_) unlock(Lock::turn);
  is_held_ = false;
}

bool WriterTurn::wait_for(Lock lock, nanoseconds max_wait) {
  const base::Stopwatch stopwatch;
  for (;;) {
    const std::uint32_t changes = segment_.changes;
    if (memory_.lock_slot(lock)) return true;
    const nanoseconds waited = stopwatch.elapsed_exactly();
    if (waited >= max_wait) return false;
    wait_while(segment_.changes, changes, max_wait - waited);
  }
}

void WriterTurn::unlock(Lock lock) {
  memory_.unlock_slot(lock);
  ++segment_.changes;
  syscall(SYS_futex, &segment_.changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace votes
