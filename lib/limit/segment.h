#pragma once

#include <filesystem>

#include "limit/known_logins.h"
#include "limit/limiter.h"

namespace config {
struct Config;
}

namespace limit {

// The rate limits of a site's clients, in base::SharedMemory of the workers of one host.
struct Segment {
  Limiter::Table limits;
  KnownLogins::Table logins;
};

// The path of that segment.
[[nodiscard]] std::filesystem::path segment_path(const config::Config& config);

}  // namespace limit
