#pragma once

#include <chrono>

#include "api/app.h"
#include "api/routes.h"
#include "http/request.h"
#include "http/response.h"

namespace api {

// Counts a request, and logs it if configured. Call it before the response is sent: a client that
// has the response finds it counted.
void log_request(const App& app, const http::Request& request, const Route* route,
                 const http::Response& response, std::chrono::nanoseconds duration);

}  // namespace api
