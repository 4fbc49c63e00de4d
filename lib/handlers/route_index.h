#pragma once

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"

namespace handlers {

// Returns the response to an OPTIONS request for the path of "match". The response lists the
// methods and their arguments, in the format that WordPress uses to describe a route
// (get_data_for_route() in class-wp-rest-server.php). "match" must contain at least one route.
[[nodiscard]] api::Answer describe_path(const api::Core& core, const api::Front& front,
                                        const api::Call& call, const api::Match& match);

}  // namespace handlers
