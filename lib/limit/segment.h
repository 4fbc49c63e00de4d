#pragma once

#include <string>

#include "config/config.h"
#include "limit/known_logins.h"
#include "limit/limiter.h"

namespace limit {

// What limits the clients of a site, in base::SharedMemory of the workers of one host.
struct Segment {
  Limiter::Table limits;
  KnownLogins::Table logins;
};

// The name of that segment.
[[nodiscard]] std::string segment_name(const config::Config& config);

}  // namespace limit
