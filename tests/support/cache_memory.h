#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/shared_cache.h"
#include "support/clock.h"

namespace support {

// A cache of the test's own, in memory that nobody shares.
class CacheMemory {
 public:
  explicit CacheMemory(std::size_t sets = 64, base::Uptime ttl = kTtl)
      : sets_(std::make_unique<base::SharedCache::Set[]>(sets)),
        cache_(header_, {sets_.get(), sets}, ttl, clock_) {}

  [[nodiscard]] base::SharedCache& cache() { return cache_; }
  [[nodiscard]] FixedClock& clock() { return clock_; }
  [[nodiscard]] base::SharedCache::Header& header() { return header_; }

  // To do what a process does that stops half-way.
  [[nodiscard]] base::SharedCache::Set& set(std::size_t number) { return sets_[number]; }

  static constexpr std::chrono::seconds kTtl{2};

 private:
  // The key is not random: what meets in a set is not left to chance.
  base::SharedCache::Header header_{.key = {1, 2}, .epoch = {}, .writers = {}};
  const std::unique_ptr<base::SharedCache::Set[]> sets_;
  FixedClock clock_{kNow};
  base::SharedCache cache_;
};

}  // namespace support
