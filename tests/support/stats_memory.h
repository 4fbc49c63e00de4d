#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "rollups/stats_cache.h"

namespace support {

// A cache of the test's own, in memory that nobody shares.
class StatsMemory {
 public:
  explicit StatsMemory(std::size_t sets = 64, std::chrono::microseconds life = kLife)
      : sets_(std::make_unique<rollups::StatsCache::Set[]>(sets)),
        cache_(key_, {sets_.get(), sets}, life) {}

  [[nodiscard]] rollups::StatsCache& cache() { return cache_; }

  // To do what a process does that stops half-way.
  [[nodiscard]] rollups::StatsCache::Set& set(std::size_t number) { return sets_[number]; }

  static constexpr std::chrono::seconds kLife{2};

 private:
  base::SharedKey key_{{1, 2}};  // not random: what meets in a set is not left to chance
  const std::unique_ptr<rollups::StatsCache::Set[]> sets_;
  rollups::StatsCache cache_;
};

}  // namespace support
