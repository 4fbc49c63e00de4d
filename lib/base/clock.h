#pragma once

#include <chrono>
#include <ctime>

namespace base {

// A point in time in UTC, with the precision of the database's DATETIME(6).
using Time = std::chrono::sys_time<std::chrono::microseconds>;

// The time since the host started, including time spent suspended. The uptime is independent of the
// system clock.
using Uptime = std::chrono::microseconds;

// Provides the current time. Most code receives the time as an argument, usually as
// Request::received_at. Safe for concurrent use.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual Time now() const = 0;
  [[nodiscard]] virtual Uptime uptime() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  }
  [[nodiscard]] Uptime uptime() const override {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::duration_cast<Uptime>(std::chrono::seconds(time.tv_sec) +
                                              std::chrono::nanoseconds(time.tv_nsec));
  }
};

// Measures the time since its construction with a monotonic clock.
class Stopwatch {
 public:
  Stopwatch() = default;

  // Creates a stopwatch as if it had been started "ago" earlier.
  explicit Stopwatch(std::chrono::milliseconds ago) : start_(Monotonic::now() - ago) {}

  [[nodiscard]] std::chrono::milliseconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Monotonic::now() - start_);
  }

  // Returns the elapsed time in nanoseconds.
  [[nodiscard]] std::chrono::nanoseconds elapsed_exactly() const {
    return Monotonic::now() - start_;
  }

 private:
  using Monotonic = std::chrono::steady_clock;
  Monotonic::time_point start_ = Monotonic::now();
};

}  // namespace base
