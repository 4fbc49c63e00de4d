#include "limit/segment.h"

#include "config/segment_name.h"

namespace limit {

std::string segment_name(const config::Config& config) {
  return config::segment_name(config, "limits 2");
}

}  // namespace limit
