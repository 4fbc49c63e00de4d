#include "runtime/cache_epoch.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace runtime {

bool has_died(std::uint64_t process) {
  return kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

void CacheWriters::begin(std::uint64_t writer) {
  end();
  for (std::size_t i = 0; i < shared_.places.size() && !place_; ++i) {
    Place& place = shared_.places[i];
    std::uint64_t owner = place.process;
    if (owner != 0 && !has_died(owner)) continue;
    const auto self = static_cast<std::uint64_t>(getpid());
    if (place.process.compare_exchange_strong(owner, self)) place_ = i;
  }
  if (!place_) return;
  Place& place = shared_.places[*place_];
  place.writer = 0;  // the slot may still hold a dead process's writer
  place.sequence = 0;
  place.writer = writer;
}

void CacheWriters::publish(std::uint64_t sequence) {
  if (place_) shared_.places[*place_].sequence = sequence;
}

void CacheWriters::end() {
  if (!place_) return;
  shared_.places[*place_].writer = 0;
  shared_.places[*place_].process = 0;
  place_.reset();
}

std::map<std::uint64_t, std::uint64_t> CacheWriters::published() const {
  std::map<std::uint64_t, std::uint64_t> sequences;
  for (const Place& place : shared_.places) {
    const std::uint64_t writer = place.writer;
    const std::uint64_t sequence = place.sequence;
    if (writer != 0 && place.writer == writer) sequences[writer] = sequence;
  }
  return sequences;
}

}  // namespace runtime
