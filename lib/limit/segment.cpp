#include "limit/segment.h"

#include "config/segment_path.h"

namespace limit {

std::filesystem::path segment_path(const config::Config& config) {
  return config::segment_path(config, "limits 2");
}

}  // namespace limit
