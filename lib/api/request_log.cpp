#include "api/request_log.h"

namespace api {
namespace {

// Request addresses are not logged, nor are queries, which may contain credentials: the web
// server's log has both under the same id.
void write_line(const App& app, const http::Request& request, const Route* route,
                const http::Response& response, std::chrono::nanoseconds duration) {
  constexpr std::size_t kLongestPath = 200;
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(duration);
  app.log.info("request_answered", {{"request", request.id},
                                    {"method", name_of(request.method)},
                                    {"route", route == nullptr ? "none" : route->path},
                                    {"path", request.path.substr(0, kLongestPath)},
                                    {"status", response.status},
                                    {"bytes", response.body.size()},
                                    {"microseconds", microseconds.count()}});
}

}  // namespace

void log_request(const App& app, const http::Request& request, const Route* route,
                 const http::Response& response, std::chrono::nanoseconds duration) {
  app.metrics.add_request(series_of(route, request.method), response.status, duration);
  // Monitoring programs are not visitors, and their address may differ even if all visitors share
  // one.
  if (route == nullptr || !route->is_for_monitoring) {
    app.metrics.count_forwarded_client(request.remote_address, request.forwarded_for);
  }
  if (app.logs_requests) write_line(app, request, route, response, duration);
}

}  // namespace api
