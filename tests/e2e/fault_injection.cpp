// This library is preloaded into a process to set the process's clock ahead and to slow down its
// disk. The RATINGD_FAULT_INJECTION environment variable contains the path of a file with two
// 64-bit numbers, which may change at any time. The first number is how many seconds the process's
// clock is ahead. The second number is the delay of each file flush, in microseconds.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

struct Settings {
  std::atomic<std::int64_t> seconds_ahead;
  std::atomic<std::int64_t> flush_microseconds;
};

constexpr Settings kNone{};

// If RATINGD_FAULT_INJECTION does not name an existing file at the first call, the library has no
// effect.
const Settings& settings() {
  static const Settings* const mapped = [] {
    const char* const path = std::getenv("RATINGD_FAULT_INJECTION");
    const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return &kNone;
    void* const memory = mmap(nullptr, sizeof(Settings), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? &kNone : static_cast<const Settings*>(memory);
  }();
  return *mapped;
}

int flush_slowly(const char* function, int file) {
  using Flush = int (*)(int);
  usleep(static_cast<useconds_t>(settings().flush_microseconds));
  return reinterpret_cast<Flush>(dlsym(RTLD_NEXT, function))(file);
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's names are
// reserved.

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += settings().seconds_ahead;
  return result;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now{};
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return result;
}

time_t time(time_t* time) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (time != nullptr) *time = now.tv_sec;
  return now.tv_sec;
}

int fsync(int file) { return flush_slowly("fsync", file); }
int fdatasync(int file) { return flush_slowly("fdatasync", file); }

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
}
