#pragma once

#include <string>

#include "config/config.h"
#include "limit/known_logins.h"
#include "limit/limiter.h"

namespace limit {

// What the workers of one site on one host share in base::SharedMemory.
struct Segment {
  Limiter::Table limits;
  KnownLogins::Table logins;
};

// The segment's name. Sites differ in it, and so do releases whose segments do.
[[nodiscard]] std::string segment_name(const config::Config& config);

}  // namespace limit
