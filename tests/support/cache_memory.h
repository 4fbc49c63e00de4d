#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/shared_cache.h"

namespace support {

// A cache of the test's own, in memory that nobody shares.
class CacheMemory {
 public:
  explicit CacheMemory(std::size_t sets = 64, std::chrono::microseconds life = kLife)
      : sets_(std::make_unique<base::SharedCache::Set[]>(sets)),
        cache_(key_, {sets_.get(), sets}, life) {}

  [[nodiscard]] base::SharedCache& cache() { return cache_; }

  // To do what a process does that stops half-way.
  [[nodiscard]] base::SharedCache::Set& set(std::size_t number) { return sets_[number]; }

  static constexpr std::chrono::seconds kLife{2};

 private:
  base::SharedKey key_{{1, 2}};  // not random: what meets in a set is not left to chance
  const std::unique_ptr<base::SharedCache::Set[]> sets_;
  base::SharedCache cache_;
};

}  // namespace support
