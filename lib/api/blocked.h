#pragma once

#include "api/call.h"

namespace api {

// Whether the settings blocked_networks and blocked_agents keep the sender from rating. They keep
// nobody from reading, and nobody from taking ratings back.
[[nodiscard]] bool is_blocked(const Call& call);

}  // namespace api
