#include "api/serve.h"

#include <optional>
#include <string>
#include <utility>

#include "api/call.h"
#include "api/errors.h"
#include "api/origin.h"
#include "api/projection.h"
#include "api/routes.h"
#include "base/bytes.h"
#include "base/crypto.h"
#include "http/parse.h"

namespace api {
namespace {

using http::Method;

constexpr std::chrono::days kRenewCookieAfter{30};

// The decoded path below the base path; nothing for a path elsewhere.
std::optional<std::string> path_below_base(const App& app, const http::Request& request) {
  std::string path = http::percent_decode(request.path);
  path.erase(0, std::min(path.find_first_not_of('/'), path.size()));
  path.insert(0, 1, '/');
  if (!path.starts_with(app.base_path)) return std::nullopt;
  path.erase(0, app.base_path.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

Match match_path(const App& app, const http::Request& request) {
  const auto path = path_below_base(app, request);
  return path ? find_route(*path) : Match{};
}

// What a client without DELETE asks for on a POST: X-HTTP-Method-Override, or _method in the query.
std::string overriding_method(const http::Request& request) {
  if (!request.method_override.empty()) return std::string(request.method_override);
  const auto query = http::parse_form(request.query);
  if (!query) return {};
  std::string method;
  for (const http::Field& field : *query) {
    if (field.name == "_method") method = field.value;
  }
  return method;
}

// The method that decides the route: HEAD looks for GET, a POST may be overridden.
Method effective_method(const http::Request& request) {
  if (request.method == Method::head) return Method::get;
  if (request.method != Method::post) return request.method;
  const std::string name = overriding_method(request);
  if (name.empty()) return Method::post;
  for (const Method method : {Method::get, Method::post, Method::delete_}) {
    if (base::equals_ignoring_case(name, name_of(method))) return method;
  }
  return Method::other;
}

// Tells the votes' table that a voter's cookie has come back, once in its life, and renews old
// cookies. Nothing if the cookie may stay as it is.
std::optional<identity::VoterCookie> renew_cookie(const App& app, const Call& call) {
  const auto& cookie = call.asker.cookie;
  if (!cookie) return std::nullopt;
  const auto now = std::chrono::floor<std::chrono::seconds>(call.request.received_at);
  if (cookie->seen && now - cookie->issued < kRenewCookieAfter) return std::nullopt;
  if (!cookie->seen) {
    app.sessions.with_session([&](db::Connection& connection) {
      app.votes.forget_fingerprints_of(connection, cookie->voter);
    });
  }
  return identity::VoterCookie{.voter = cookie->voter, .issued = now, .seen = true};
}

Result run(const App& app, const http::Request& request, const store::SiteState& site,
           const Match& match, const Route& route) {
  Call call{request, site, match.argument, {}, {}};
  call.asker = identity::identify(request, app.keys, site.settings);
  auto parameters = Parameters::read(request);
  if (!parameters) return tl::unexpected(std::move(parameters.error()));
  call.parameters = *std::move(parameters);

  const auto renewed = route.access == Access::voter ? renew_cookie(app, call) : std::nullopt;
  Result result = route.handler(app, call);
  if (!result) return result;
  if (!result->cookie) result->cookie = renewed;
  const json::Value* fields = call.parameters.find("_fields");
  if (const auto* names = fields == nullptr ? nullptr : std::get_if<std::string>(&fields->data)) {
    result->body = project(result->body, *names);
  }
  return result;
}

std::string cookie_header(const App& app, const http::Request& request,
                          const identity::VoterCookie& cookie, const model::Settings& settings) {
  const std::chrono::seconds life = settings.voter_cookie_life;
  std::string header(identity::kVoterCookieName);
  header += '=' + identity::write_voter_cookie(cookie, app.keys);
  header += "; Path=" + app.base_path + "; Max-Age=" + std::to_string(life.count());
  header += "; HttpOnly; SameSite=Lax";
  if (request.https) header += "; Secure";
  return header;
}

std::string strong_etag(const std::string& body) {
  return '"' + base::to_hex(base::sha256(body).substr(0, 16)) + '"';
}

http::Response answer_response(const App& app, const http::Request& request,
                               const store::SiteState& site, const Route& route, Answer answer) {
  http::Response response{answer.status, std::move(answer.headers), std::move(answer.body)};
  if (answer.cookie) {
    response.headers.push_back(
        {"Set-Cookie", cookie_header(app, request, *answer.cookie, site.settings)});
  }
  if (route.caching == Caching::never) {
    response.headers.push_back({"Cache-Control", "no-store"});
    return response;
  }
  const std::string etag = strong_etag(response.body);
  response.headers.push_back({"Cache-Control", "private, no-cache"});
  response.headers.push_back({"ETag", etag});
  if (http::matches_etag(request.if_none_match, etag)) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

http::Response uncached(const Error& error) {
  http::Response response = error_response(error);
  response.headers.push_back({"Cache-Control", "no-store"});
  return response;
}

// The way of a request: route, origin, who asks, what is asked, the handler.
http::Response respond(const App& app, const http::Request& request) {
  const Match match = match_path(app, request);
  if (match.routes.empty()) return uncached({ErrorCode::no_route});
  const auto site = app.site.state();
  if (site == nullptr) return uncached({ErrorCode::unavailable});
  if (request.method == Method::options) return preflight(request, *site, match);

  const Method method = effective_method(request);
  const Route* route = match.with(method);
  http::Response response;
  if (route == nullptr) {
    response = uncached({ErrorCode::no_route});
  } else if (request.method != Method::get && request.method != Method::head &&
             !may_change(request, *site)) {
    response = uncached({ErrorCode::bad_origin});
  } else {
    Result result = run(app, request, *site, match, *route);
    response = result ? answer_response(app, request, *site, *route, *std::move(result))
                      : uncached(result.error());
  }
  for (http::Header& header : cors_headers(request, *site, method == Method::get)) {
    response.headers.push_back(std::move(header));
  }
  response.headers.push_back({"Allow", match.methods()});
  return response;
}

void add_common_headers(const http::Request& request, http::Response& response) {
  if (!response.body.empty()) {
    response.headers.push_back({"Content-Type", "application/json; charset=UTF-8"});
    response.headers.push_back({"Content-Length", std::to_string(response.body.size())});
  }
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"X-Robots-Tag", "noindex"});
  response.headers.push_back({"X-Request-Id", request.id});
  response.headers.push_back({"Vary", "Origin, Cookie, Authorization, X-WP-Nonce"});
  response.headers.push_back(
      {"Access-Control-Expose-Headers",
       "X-WP-Total, X-WP-TotalPages, Link, ETag, Allow, Retry-After, X-Request-Id"});
}

}  // namespace

http::Response serve(const App& app, const http::Request& request) {
  http::Response response;
  try {
    response = respond(app, request);
  } catch (const db::ConnectionLost& exception) {
    // The caretaker and the vote writer say it once; here it would be said by every request.
    app.log.debug("database_away", {{"request", request.id}, {"what", exception.what()}});
    response = uncached({ErrorCode::unavailable});
  } catch (const db::Conflict& exception) {
    app.log.warning("database_conflict", {{"request", request.id}, {"what", exception.what()}});
    response = uncached({ErrorCode::unavailable});
  } catch (const std::exception& exception) {
    app.log.error("request_failed", {{"request", request.id}, {"what", exception.what()}});
    response = uncached({ErrorCode::internal});
  }
  add_common_headers(request, response);
  if (request.method == Method::head) response.body.clear();
  return response;
}

}  // namespace api
