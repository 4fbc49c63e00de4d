#pragma once

#include <string_view>

#include "limit/known_logins.h"
#include "limit/limiter.h"

namespace limit {

// The rate limits of a site's clients, in base::SharedMemory of the workers of one host.
struct Segment {
  Limiter::Table limits;
  KnownLogins::Table logins;
};

// The name of its layout, for config::segment_path(): another layout needs another name.
inline constexpr std::string_view kSegmentLayout = "limits 2";

}  // namespace limit
