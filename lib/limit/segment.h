#pragma once

#include <filesystem>

#include "config/config.h"
#include "limit/known_logins.h"
#include "limit/limiter.h"

namespace limit {

// What limits the clients of a site, in base::SharedMemory of the workers of one host.
struct Segment {
  Limiter::Table limits;
  KnownLogins::Table logins;
};

// Where that segment is.
[[nodiscard]] std::filesystem::path segment_path(const config::Config& config);

}  // namespace limit
