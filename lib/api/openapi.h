#pragma once

#include <string_view>

namespace api {

// The OpenAPI description of the service, openapi.json beside this file; the base path stands in
// it once, as it is by default.
[[nodiscard]] std::string_view openapi_text();

}  // namespace api
