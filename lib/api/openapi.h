#pragma once

#include <string_view>

namespace api {

// The OpenAPI description of the service, from openapi.json beside this file. The default base path
// occurs in it once.
[[nodiscard]] std::string_view openapi_text();

}  // namespace api
