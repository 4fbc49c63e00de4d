#pragma once

#include <filesystem>
#include <string_view>

#include "config/config.h"

namespace config {

// Returns the path of a runtime::SharedMemory segment for the configured worker pool, which serves
// a site or a network. "layout" names the content and its version. Different pools have different
// paths, and so do releases with different layouts.
[[nodiscard]] std::filesystem::path segment_path(const Config& config, std::string_view layout);

// Returns the path of a segment that belongs to the configured site alone. If the pool serves only
// this site, it is the same path as segment_path().
[[nodiscard]] std::filesystem::path site_segment_path(const Config& config,
                                                      std::string_view layout);

// Return the paths of the segments with the runtime::MetricsTable and the runtime::SitesTable.
[[nodiscard]] std::filesystem::path metrics_segment_path(const Config& config);
[[nodiscard]] std::filesystem::path sites_segment_path(const Config& config);

// Returns the path of the segment that contains the caches for totals and for voters' own ratings.
// Its size is "megabytes" MiB. While no worker runs, segments of all sizes can be deleted.
[[nodiscard]] std::filesystem::path cache_segment_path(const Config& config, unsigned megabytes);

}  // namespace config
