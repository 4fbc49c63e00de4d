#pragma once

#include "api/app.h"
#include "http/request.h"
#include "http/response.h"

namespace api {

// Answers any request; never throws. Safe for concurrent use.
[[nodiscard]] http::Response serve(const App& app, const http::Request& request);

}  // namespace api
