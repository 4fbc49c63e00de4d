#pragma once

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"

namespace api {

// The answer to OPTIONS on the path of "match": its methods and their arguments, as WordPress
// describes a route (get_data_for_route() in class-wp-rest-server.php). REQUIRES: match has routes.
[[nodiscard]] Answer describe_path(const App& app, const Call& call, const Match& match);

}  // namespace api
