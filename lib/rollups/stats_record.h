#pragma once

#include <string>

#include "rollups/stats_cache.h"
#include "rollups/totals_reader.h"

namespace rollups {

// What the cache keeps of an object: its totals, in words, and of an object without a type: the
// type that is meant.

[[nodiscard]] StatsCache::Record record_of(const VersionedStats& counted);
[[nodiscard]] model::Stats stats_in(const StatsCache::Record& record);

// REQUIRES: a type of at most 64 bytes.
[[nodiscard]] StatsCache::Record record_of(const std::string& type);
[[nodiscard]] std::string type_in(const StatsCache::Record& record);

}  // namespace rollups
