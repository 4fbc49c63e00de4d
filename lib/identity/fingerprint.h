#pragma once

#include <cstdint>

#include "config/config.h"

namespace identity {

// A number that changes with the files that a worker reads when it starts, the secret included;
// never 0. All programs of a host that are configured by the same files get the same one.
// Errors: config::Error - a file cannot be read.
[[nodiscard]] std::uint64_t fingerprint_of(const config::Config& config);

}  // namespace identity
