#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes.h"

namespace openapi {

// Returns the arguments for each element in "routes", as Description::arguments_of() does. Reads
// them from "description", the OpenAPI description of these routes.
[[nodiscard]] std::vector<std::string> all_arguments(std::string_view description,
                                                     std::span<const api::Route> routes);

}  // namespace openapi
