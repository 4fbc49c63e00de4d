#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes.h"

namespace openapi {

// Returns the arguments of each route, in the format of Description::arguments_of(). "description"
// is the OpenAPI description of the routes.
[[nodiscard]] std::vector<std::string> all_arguments(std::string_view description,
                                                     std::span<const api::Route> routes);

}  // namespace openapi
