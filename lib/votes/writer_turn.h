#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "runtime/shared_memory.h"

namespace votes {

// DESIGN. The vote writers on one host take turns, so that only one batch is written at a time.
// While one writer commits, votes accumulate in the queues of the other writers, so that more votes
// share the cost of a commit. (If two writers wrote at the same time, each batch would be half as
// large.)
//
// The turn is a file lock, which the kernel releases when the holder of the lock dies. The first
// waiting writer holds a second lock, so that no writer can take two turns in a row while another
// writer is waiting. A futex wakes the waiting writers. Taking turns affects only performance. If a
// writer does not get the turn within "max_wait", for example because another process is suspended,
// further calls to acquire() return immediately, until one of them gets the turn.
//
// Must be used by only one thread in each process.
class WriterTurn {
 public:
  static constexpr std::chrono::milliseconds kMaxWait{250};  // writing a batch takes less time

  // The writers' shared memory, which is initially filled with zeros.
  struct Segment {
    std::atomic<std::uint32_t> changes;  // counts ended turns; a futex
  };

  // "memory" contains a Segment that all writers share, and must outlive this object.
  explicit WriterTurn(const runtime::SharedMemory& memory);
  WriterTurn(const WriterTurn&) = delete;
  WriterTurn& operator=(const WriterTurn&) = delete;

  // Waits for the turn, but not longer than "max_wait". Returns whether the writer has the turn
  // now.
  bool acquire(std::chrono::milliseconds max_wait = kMaxWait);

  // Releases the turn if this writer has it.
  void release();

 private:
  enum Lock : unsigned { turn, next };

  bool wait_for(Lock lock, std::chrono::nanoseconds max_wait);
  void unlock(Lock lock);

  const runtime::SharedMemory& memory_;
  Segment& segment_;
  bool is_held_ = false;
  bool waits_in_vain_ = false;
};

// The name of the memory layout of WriterTurn::Segment. The name is passed to
// config::segment_path().
inline constexpr std::string_view kWriterTurnLayout = "writer turn 1";

}  // namespace votes
