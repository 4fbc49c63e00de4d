#include "api/serve.h"

#include <string>
#include <utility>

#include "api/admission.h"
#include "api/call.h"
#include "api/errors.h"
#include "api/projection.h"
#include "api/request_log.h"
#include "api/response_headers.h"
#include "api/routes.h"
#include "base/stopwatch.h"
#include "db/server_lock.h"
#include "json/values.h"

namespace api {
namespace {

const store::SiteState kUnknownSite;

tl::unexpected<Error> refused(std::optional<Error> refusal) {
  return tl::unexpected(*std::move(refusal));
}

// Reads the parameters into "call".
std::optional<Error> read_parameters(const Route& route, Call& call) {
  auto parameters = route.body == Body::file || is_shared(route)
                        ? Parameters::read_query(call.request)
                        : Parameters::read(call.request);
  if (!parameters) return std::optional<Error>(std::move(parameters.error()));
  call.parameters = *std::move(parameters);
  return std::nullopt;
}

// The handler's answer, reduced to the members of the parameter _fields unless it is shared.
Result run_handler(const App& app, const Route& route, const Call& call) {
  Result result = route.handler(app, call);
  if (!result || is_shared(route)) return result;
  if (const auto fields = call.parameters.find_list("_fields")) {
    const auto names = json::list_in(*fields);
    if (!names.empty()) result->body = project(result->body, names);
  }
  return result;
}

// Logs an error that nothing expects; the answer tells nothing of it.
Result failed(const App& app, Call& call, const std::exception& exception) {
  app.log.error("request_failed", {{"request", call.request.id}, {"error", exception.what()}});
  clear_findings(call);
  return tl::unexpected(Error{ErrorCode::internal});
}

// The result of "work"; exceptions become errors.
template <typename Work>
Result run_guarded(const App& app, Call& call, const Work& work) {
  const std::string& id = call.request.id;
  try {
    return work();
  } catch (const db::ConnectionLost& exception) {
    // The refresher and the vote writer say it once; here it would be said by every request.
    app.log.debug("database_call_failed", {{"request", id}, {"error", exception.what()}});
  } catch (const db::Busy& exception) {
    return tl::unexpected(Error{.code = ErrorCode::unavailable,
                                .message = exception.what(),
                                .retry_after = std::chrono::seconds(30)});
  } catch (const db::Conflict& exception) {
    app.log.warning("database_conflict_detected", {{"request", id}, {"error", exception.what()}});
  } catch (const std::exception& exception) {
    return failed(app, call, exception);
  }
  return tl::unexpected(Error{ErrorCode::unavailable});
}

// The response of "result"; an error while it is built is a response, too.
http::Response respond_guarded(const App& app, Call& call, const Match& match, const Route* route,
                               Result result) {
  try {
    return respond(app, call, match, route, std::move(result));
  } catch (const std::exception& exception) {
    return respond(app, call, match, route, failed(app, call, exception));
  }
}

}  // namespace

http::Response serve(const App& app, const http::Request& request) {
  const base::Stopwatch stopwatch;
  const auto site = app.site.state();
  const bool is_site_known = site != nullptr && app.authenticator.is_ready();
  const Match match = find_route(app.base_path, request);
  const Route* const route = choose_route(match, request);
  Call call{request, is_site_known ? *site : kUnknownSite, match.argument, {}, {}};

  Result result = run_guarded(app, call, [&]() -> Result {
    if (auto refusal = refuse_path(app, match, route, is_site_known, call)) return refused(refusal);
    if (request.method == http::Method::options) return preflight(request, call.site, match);
    if (route == nullptr) return refused(Error{ErrorCode::no_route});
    if (auto refusal = refuse_origin(call)) return refused(refusal);
    if (auto refusal = admit(app, *route, call)) return refused(refusal);
    if (auto refusal = read_parameters(*route, call)) return refused(refusal);
    return run_handler(app, *route, call);
  });

  http::Response response = respond_guarded(app, call, match, route, std::move(result));
  add_common_headers(request, match, site.get(), response);
  log_request(app, request, route, response, stopwatch.elapsed_exactly());
  return response;
}

}  // namespace api
