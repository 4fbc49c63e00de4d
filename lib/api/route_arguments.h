#pragma once

#include <string>

#include "api/routes.h"

namespace api {

// Returns the parameters of "route", as WordPress describes the arguments of its routes: a JSON
// object with the schema of each parameter of the path, the query and the body by name, and whether
// it is required. Follows from the OpenAPI description. Schemas are complete, without references;
// members of nested objects are left out. Computed once; safe for concurrent use.
[[nodiscard]] const std::string& arguments_of(const Route& route);

}  // namespace api
