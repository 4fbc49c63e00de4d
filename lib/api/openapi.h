#pragma once

#include <string_view>

namespace api {

// The OpenAPI description of the service, openapi.json beside this file, with "{base_path}" where
// the base path belongs.
[[nodiscard]] std::string_view openapi_text();

}  // namespace api
