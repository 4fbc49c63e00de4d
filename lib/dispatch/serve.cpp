#include "dispatch/serve.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/call.h"
#include "api/errors.h"
#include "api/fields.h"
#include "api/routes.h"
#include "base/clock.h"
#include "base/text.h"
#include "db/lease.h"
#include "dispatch/admission.h"
#include "dispatch/response_headers.h"
#include "handlers/route_index.h"
#include "json/codec.h"

namespace dispatch {
namespace {

const store::SiteState kUnknownSite;

constexpr std::size_t kMaxFieldNames = 100;  // in the `_fields` parameter

tl::unexpected<api::Error> refused(std::optional<api::Error> refusal) {
  return tl::unexpected(*std::move(refusal));
}

std::optional<api::Error> read_fields(api::Call& call) {
  const auto given = call.parameters.find_list("_fields");
  if (!given) return std::nullopt;
  for (std::string& name : json::list_in(*given)) call.fields.insert(std::move(name));
  if (call.fields.size() <= kMaxFieldNames) return std::nullopt;
  return api::invalid_parameter(
      "_fields", api::kOutOfBounds,
      base::Message("{name} must contain at most {maximum} names, separated by commas.",
                    {{"name", "_fields"}, {"maximum", std::int64_t{kMaxFieldNames}}}));
}

std::optional<api::Error> read_parameters(const api::Route& route, api::Call& call) {
  if (!api::is_shared(route)) {
    if (auto refusal = api::refuse_encoded_body(call.request)) return refusal;
  }
  auto parameters = route.body == api::Body::file || api::is_shared(route)
                        ? api::Parameters::read_query(call.request)
                        : api::Parameters::read(call.request);
  if (!parameters) return std::optional<api::Error>(std::move(parameters.error()));
  call.parameters = *std::move(parameters);
  return api::is_shared(route) ? std::nullopt : read_fields(call);
}

// Returns whether the route's handler may block, apart from waiting for a database session. Before
// a leader thread waits for a session, db::Pool hands over the leadership (runtime/leadership.h).
bool may_block(const api::Route& route) {
  return route.access != api::Access::voter && route.access != api::Access::rater &&
         !api::is_shared(route);
}

// Returns the response with only the members named in the `_fields` parameter. Returns a vote
// unchanged, because a vote has no response until it is written.
api::Result project_fields(const api::Call& call, api::Result result) {
  if (result && !result->vote && !call.fields.empty()) {
    result->body = project(result->body, call.fields);
  }
  return result;
}

// Logs an unexpected error. The response to the client does not describe the error.
api::Result failed(const api::App& app, api::Call& call, const std::exception& exception) {
  app.core.log.error("request_failed", {{"request", call.request.id}, {"error", exception.what()}});
  clear_findings(call);
  return tl::unexpected(api::Error{api::ErrorCode::internal});
}

api::Result try_later(const db::Failure& reason) {
  return tl::unexpected(api::Error{.code = api::ErrorCode::unavailable,
                                   .message = std::string(reason.what()),
                                   .retry_after = std::chrono::seconds(30)});
}

// Logs that the server refuses the database account. While the worker's open sessions still work,
// the refresher reports no outage.
void log_refused_login(const api::App& app, const api::Call& call, const db::Failure& failure) {
  if (!db::refuses_account(failure.code())) return;
  if (!app.core.refused_logins.passes(call.request.received_at)) return;
  app.core.log.warning("database_login_refused",
                       {{"error", failure.what()}, {"advice", db::kAdviceForRefusedAccount}});
}

// Calls "work" and returns its result. Converts exceptions from "work" to errors.
template <typename Work>
api::Result run_guarded(const api::App& app, api::Call& call, const Work& work) {
  const std::string& id = call.request.id;
  try {
    return work();
  } catch (const db::ConnectionLost& exception) {
    // The "database_call_failed" event is logged only at the debug level, because an outage would
    // cause this event for every request. The refresher, the vote writer and the worker each report
    // an outage only once.
    app.core.log.debug("database_call_failed", {{"request", id}, {"error", exception.what()}});
    log_refused_login(app, call, exception);
  } catch (const db::Busy& exception) {
    return try_later(exception);
  } catch (const db::LeaseLost& exception) {
    return try_later(exception);
  } catch (const db::Conflict& exception) {
    app.core.log.warning("database_conflict_detected",
                         {{"request", id}, {"error", exception.what()}});
  } catch (const std::exception& exception) {
    return failed(app, call, exception);
  }
  return tl::unexpected(api::Error{api::ErrorCode::unavailable});
}

// Returns the response for "result". If respond() throws an exception, returns the error response
// for this exception.
http::Response respond_guarded(const api::App& app, api::Call& call, const api::Match& match,
                               const api::Route* route, api::Result result) {
  try {
    return respond(app, call, match, route, std::move(result));
  } catch (const std::exception& exception) {
    return respond(app, call, match, route, failed(app, call, exception));
  }
}

// Logs neither addresses nor queries, because a query may contain credentials. The web server's log
// contains the address and the query under the same request id.
void log_request(const api::App& app, const http::Request& request, const api::Route* route,
                 const http::Response& response, std::chrono::nanoseconds duration) {
  constexpr std::size_t kLongestPath = 200;
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(duration);
  app.core.log.info("request_answered", {{"request", request.id},
                                         {"method", name_of(request.method)},
                                         {"route", route == nullptr ? "none" : route->path},
                                         {"path", request.path.substr(0, kLongestPath)},
                                         {"status", response.status},
                                         {"bytes", response.body.size()},
                                         {"microseconds", microseconds.count()}});
}

// Counts a request and, if configured, logs it. Call this function before sending the response, so
// that the metrics include every request whose client has received a response.
void record_request(const api::App& app, const http::Request& request, const api::Route* route,
                    const http::Response& response, std::chrono::nanoseconds duration) {
  app.core.metrics.add_request(api::series_of(app.front.routes, route, request.method),
                               response.status, duration);
  // The counts of client addresses show whether all visitors share one address. Do not count
  // monitoring programs, because their addresses may differ even if all visitors share one address.
  if (route == nullptr || !route->is_for_monitoring) {
    app.core.metrics.count_forwarded_client(request.remote_address, request.forwarded_for);
  }
  if (app.front.logs_requests) log_request(app, request, route, response, duration);
}

// A tree of the paths in the `_fields` parameter. Paths with a common prefix share nodes, so each
// JSON member is looked up only once.
struct Node {
  bool is_whole = false;  // the member stays with everything in it
  std::map<std::string_view, Node, std::less<>> members = {};
};

void add(Node& root, std::string_view path) {
  Node* node = &root;
  // No JSON body is nested more deeply than json::kMaxDepth.
  for (std::size_t depth = 0; !path.empty() && depth < json::kMaxDepth; ++depth) {
    node = &node->members[base::take_until(path, '.')];
  }
  node->is_whole = true;
}

void project_value(json::Value& value, const Node& node) {
  if (auto* array = std::get_if<json::Value::Array>(&value.data)) {
    for (json::Value& element : *array) project_value(element, node);
    return;
  }
  auto* object = std::get_if<json::Value::Object>(&value.data);
  if (object == nullptr) return;
  std::erase_if(*object, [&](json::Member& member) {
    const auto found = node.members.find(member.first);
    if (found == node.members.end()) return true;
    if (!found->second.is_whole) project_value(member.second, found->second);
    return false;
  });
}

}  // namespace

Serving::Serving(const api::App& app, const http::Request& request)
    : app_(app),
      request_(request),
      site_(app.front.site.state()),
      is_site_known_(site_ != nullptr && app.front.authenticator.is_ready()),
      match_(api::find_route(app.front.routes, app.core.base_path, request)),
      route_(api::choose_route(match_, request)),
      call_{request, is_site_known_ ? *site_ : kUnknownSite, match_.argument, {}, {}} {}

Serving::Step Serving::begin() {
  api::Result result = run_guarded(app_, call_, [&]() -> api::Result {
    if (auto refusal = refuse_path(app_, match_, route_, is_site_known_, call_))
      return refused(refusal);
    if (is_preflight(request_)) return preflight(request_, call_.site, match_);
    if (request_.method == http::Method::options) return describe();
    if (route_ == nullptr) return refused(api::Error{api::ErrorCode::no_route});
    if (may_block(*route_) && !app_.front.leadership.hand_over())
      return refused(api::Error{api::ErrorCode::unavailable});
    if (auto refusal = refuse_origin(*route_, call_)) return refused(refusal);
    if (auto refusal = admit(app_, *route_, call_)) return refused(refusal);
    if (auto refusal = read_parameters(*route_, call_)) return refused(refusal);
    return project_fields(call_, route_->handler(app_, call_));
  });
  if (result && result->vote) {
    vote_ = std::move(result->vote);
    return vote_->request;
  }
  return respond_with(std::move(result));
}

http::Response Serving::finish(const votes::VoteQueue::WriteResult& result) {
  is_failure_counted_ = !result.has_value();
  return respond_with(
      run_guarded(app_, call_, [&] { return project_fields(call_, vote_->finish(result)); }));
}

api::Result Serving::describe() {
  const api::Route route = match_.description();
  if (may_block(route) && !app_.front.leadership.hand_over()) {
    return refused(api::Error{api::ErrorCode::unavailable});
  }
  if (auto refusal = admit(app_, route, call_)) return refused(refusal);
  return handlers::describe_path(app_.core, app_.front, call_, match_);
}

http::Response Serving::respond_with(api::Result result) {
  http::Response response = respond_guarded(app_, call_, match_, route_, std::move(result));
  add_common_headers(request_, match_, site_.get(), response);
  count_failed_vote(response.status);
  record_request(app_, request_, route_, response, stopwatch_.elapsed_exactly());
  return response;
}

// Counts a vote that ended with an error, unless the vote queue has already counted it.
void Serving::count_failed_vote(int status) {
  constexpr int kInternal = 500, kUnavailable = 503;
  if (route_ == nullptr || !api::is_for_votes(*route_) || is_failure_counted_) return;
  if (status == kInternal) app_.core.metrics.add(runtime::Count::vote_failed);
  if (status == kUnavailable) app_.core.metrics.add(call_.failure_of_vote);
}

http::Response refuse(const api::App& app, const http::Request& request, const api::Error& error) {
  const base::Stopwatch stopwatch;
  http::Response response = api::error_response(error);
  response.headers.push_back({"Cache-Control", "no-store"});
  add_common_headers(request, {}, nullptr, response);
  record_request(app, request, nullptr, response, stopwatch.elapsed_exactly());
  return response;
}

std::string project(const std::string& body, const std::set<std::string>& fields) {
  auto value = json::parse(body);
  if (!value) return body;
  Node root;
  add(root, "success");
  for (const std::string& field : fields) add(root, field);
  project_value(*value, root);
  std::string projected;
  json::Writer(projected).value(*value);
  return projected;
}

}  // namespace dispatch
