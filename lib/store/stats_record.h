#pragma once

#include <string>

#include "store/rollup_store.h"
#include "store/stats_cache.h"

namespace store {

// What the cache keeps of an object: its totals, in words, and of an object without a type: the
// type that is meant.

[[nodiscard]] StatsCache::Record record_of(const Counted& counted);
[[nodiscard]] model::Stats stats_in(const StatsCache::Record& record);

// REQUIRES: a type of at most 64 bytes.
[[nodiscard]] StatsCache::Record record_of(const std::string& type);
[[nodiscard]] std::string type_in(const StatsCache::Record& record);

}  // namespace store
