#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes.h"

namespace openapi {

// Returns the arguments for each element in "routes", in the form that Description::arguments_of()
// returns. Reads the arguments from "description", which is the OpenAPI description of these
// routes.
[[nodiscard]] std::vector<std::string> all_arguments(std::string_view description,
                                                     std::span<const api::Route> routes);

}  // namespace openapi
