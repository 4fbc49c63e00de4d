#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "runtime/shared_cache.h"
#include "support/clock.h"

namespace support {

// Creates a cache in private memory for one test.
class CacheMemory {
 public:
  explicit CacheMemory(std::size_t sets = 64, base::Uptime ttl = kTtl)
      : sets_(std::make_unique<runtime::SharedCache::Set[]>(sets)),
        cache_(header_, {sets_.get(), sets}, ttl, clock_) {}

  [[nodiscard]] runtime::SharedCache& cache() { return cache_; }
  [[nodiscard]] FixedClock& clock() { return clock_; }
  [[nodiscard]] runtime::SharedCache::Header& header() { return header_; }

  // Returns a set in the cache, which a test can use to simulate an unfinished write.
  [[nodiscard]] runtime::SharedCache::Set& set(std::size_t number) { return sets_[number]; }

  static constexpr std::chrono::seconds kTtl{2};

 private:
  // The hash key is not random, so that each test run assigns objects to the same sets.
  runtime::SharedCache::Header header_{.key = {1, 2}, .epoch = {}, .writers = {}};
  const std::unique_ptr<runtime::SharedCache::Set[]> sets_;
  FixedClock clock_{kNow};
  runtime::SharedCache cache_;
};

}  // namespace support
