#include "api/serve.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "api/admit.h"
#include "api/call.h"
#include "api/errors.h"
#include "api/origin.h"
#include "api/projection.h"
#include "api/rate_limit.h"
#include "api/routes.h"
#include "api/site_match.h"
#include "base/bytes.h"
#include "base/keyed_hash.h"
#include "base/stopwatch.h"
#include "db/server_lock.h"
#include "http/parse.h"
#include "json/values.h"

namespace api {
namespace {

using http::Method;

constexpr std::size_t kUsualHeaders = 16;

// The decoded path below the base path; nothing for a path elsewhere.
std::optional<std::string> path_below_base(const App& app, const http::Request& request) {
  std::string path = http::decoded_path(request.path);
  if (!path.starts_with(app.base_path)) return std::nullopt;
  path.erase(0, app.base_path.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

Match match_path(const App& app, const http::Request& request) {
  const auto path = path_below_base(app, request);
  return path ? find_route(*path) : Match{};
}

// What a client without DELETE asks for on a POST: _method in the query, else
// X-HTTP-Method-Override, as WordPress has it.
std::string overriding_method(const http::Request& request) {
  std::string method(request.method_override);
  const auto query = http::parse_form(request.query);
  if (!query) return method;
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
  if (base::equals_ignoring_case(name, "HEAD")) return Method::get;
  for (const Method method :
       {Method::get, Method::post, Method::put, Method::patch, Method::delete_}) {
    if (base::equals_ignoring_case(name, name_of(method))) return method;
  }
  return Method::other;
}

bool changes(Method method) {
  return method != Method::get && method != Method::head && method != Method::options;
}

// Who asks, whether they may, what they ask for, and the answer, in this order.
Result run(const App& app, const Route& route, Call& call, std::optional<Allowance>& allowance) {
  if (auto refusal = admit(app, route, call, allowance)) return tl::unexpected(*std::move(refusal));

  auto parameters = route.body == Body::file ? Parameters::read_query(call.request)
                                             : Parameters::read(call.request);
  if (!parameters) return tl::unexpected(std::move(parameters.error()));
  call.parameters = *std::move(parameters);
  Result result = route.handler(app, call);
  if (!result) return result;
  if (const auto fields = call.parameters.find_list("_fields")) {
    const auto names = json::list_in(*fields);
    if (!names.empty()) result->body = project(result->body, names);
  }
  return result;
}

// The same; that the database failed is an answer, too.
Result run_or_fail(const App& app, const Route& route, Call& call,
                   std::optional<Allowance>& allowance) {
  const std::string& id = call.request.id;
  try {
    return run(app, route, call, allowance);
  } catch (const db::ConnectionLost& exception) {
    // The refresher and the vote writer say it once; here it would be said by every request.
    app.log.debug("database_away", {{"request", id}, {"what", exception.what()}});
  } catch (const db::Busy& exception) {
    return tl::unexpected(Error{.code = ErrorCode::unavailable,
                                .message = exception.what(),
                                .retry_after = std::chrono::seconds(30)});
  } catch (const db::Conflict& exception) {
    app.log.warning("database_conflict", {{"request", id}, {"what", exception.what()}});
  }
  return tl::unexpected(Error{ErrorCode::unavailable});
}

// Where the browser is to send the cookie: below the base path, or where the request was sent to,
// if that came by rest_route; the home page and its index.php are the same place. Of its path
// is_for_site() accepts few forms.
std::string_view cookie_path(const App& app, const http::Request& request) {
  constexpr std::string_view kIndex = "index.php";
  std::string_view path = request.sent_path;
  if (path.empty() || path == request.path) return app.base_path;
  if (path.ends_with(kIndex)) path.remove_suffix(kIndex.size());
  return path;
}

// Browsers keep a third party's cookies only if they say so and are Secure; Partitioned, they are
// not those of the site itself.
std::string cookie_header(const App& app, const http::Request& request,
                          const store::SiteState& site, std::string_view value,
                          std::chrono::seconds life) {
  const bool is_third_party = request.https && is_allowed_third_party(request, site);
  std::string header(identity::kVoterCookieName);
  header += '=';
  header += value;
  header.append("; Path=").append(cookie_path(app, request));
  header += "; Max-Age=" + std::to_string(life.count()) + "; HttpOnly; SameSite=";
  header += is_third_party ? "None; Partitioned" : "Lax";
  if (request.https) header += "; Secure";
  return header;
}

// Tells the versions of one answer apart, on all hosts alike. Nobody gains by two that meet, so the
// hash need not be a cryptographic one, which would cost more than the rest of the answer.
std::string strong_etag(std::string_view body) {
  static constexpr std::array<std::uint64_t, 2> kKey{};
  std::array<char, 18> tag;  // 16 hexadecimal digits in quotes
  tag.front() = '"';
  char* end = std::to_chars(&tag[1], &tag[17], base::KeyedHash(kKey)(body), 16).ptr;
  *end++ = '"';
  return {tag.data(), end};
}

std::string cache_control(const store::SiteState& site, Caching caching) {
  if (caching == Caching::validate) return "private, no-cache";
  return "private, max-age=" + std::to_string(site.settings.analytics_cache.count());
}

bool has_header(const http::Response& response, std::string_view name) {
  return std::any_of(response.headers.begin(), response.headers.end(),
                     [&](const http::Header& header) { return header.name == name; });
}

http::Response answer_response(const http::Request& request, const store::SiteState& site,
                               const Route& route, Answer answer) {
  http::Response response{answer.status, std::move(answer.headers), std::move(answer.body),
                          std::move(answer.pieces)};
  response.headers.reserve(response.headers.size() + kUsualHeaders);
  if (route.caching == Caching::never) {
    response.headers.push_back({"Cache-Control", "no-store"});
    return response;
  }
  const std::string etag = strong_etag(response.body);
  response.headers.push_back({"Cache-Control", cache_control(site, route.caching)});
  response.headers.push_back({"ETag", etag});
  const bool reads = request.method == Method::get || request.method == Method::head;
  if (reads && http::matches_etag(request.if_none_match, etag)) {
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

// The voter's cookie: with every answer but a refusal, since a vote whose outcome is unknown is to
// be repeated by the same voter.
std::optional<std::string> cookie_of(const App& app, const Call& call, const Result& result) {
  if (!result && result.error().code != ErrorCode::unavailable) return std::nullopt;
  if (result && result->drops_cookie) {
    return cookie_header(app, call.request, call.site, "", std::chrono::seconds(0));
  }
  if (!call.cookie) return std::nullopt;
  return cookie_header(app, call.request, call.site,
                       identity::write_voter_cookie(*call.cookie, app.keys),
                       call.site.settings.voter_cookie_life);
}

// What the sender should know about its proofs. Who has a page to log in with needs no dialogue of
// the browser for a name and a password.
void add_login_headers(const identity::Requester& requester, http::Response& response) {
  if (!requester.fresh_nonce.empty())
    response.headers.push_back({"X-WP-Nonce", requester.fresh_nonce});
  if (requester.login_retry_after.count() > 0) {
    response.headers.push_back({"X-Ratingd-Login", "limited"});
  } else if (requester.has_stale_nonce) {
    response.headers.push_back({"X-Ratingd-Login", "stale"});
  }
  if (response.status == 401 && !requester.has_login_page) {
    response.headers.push_back({"WWW-Authenticate", "Basic realm=\"ratingd\", charset=\"UTF-8\""});
  }
}

// The answer of "route", or of what refuses it.
http::Response answer(const App& app, const http::Request& request, const store::SiteState& site,
                      const Match& match, const Route& route) {
  std::optional<Allowance> allowance;
  Call call{request, site, match.argument, {}, {}};
  Result result = run_or_fail(app, route, call, allowance);
  const auto cookie = cookie_of(app, call, result);
  http::Response response =
      result ? answer_response(request, site, route, *std::move(result)) : uncached(result.error());
  if (cookie) response.headers.push_back({"Set-Cookie", *cookie});
  add_login_headers(call.requester, response);
  if (allowance) add_rate_limit_headers(*allowance, response);
  return response;
}

// The same while nothing is known of the site, as its database has not been there yet.
http::Response answer_without_site(const App& app, const http::Request& request, const Match& match,
                                   const Route* route) {
  static const store::SiteState kUnknown;
  if (route == nullptr || !route->is_for_monitoring) return uncached({ErrorCode::unavailable});
  return answer(app, request, kUnknown, match, *route);
}

// The way of a request: route, origin, allowance, who asks, what is asked, the handler.
http::Response respond(const App& app, const http::Request& request, const Match& match,
                       const Route* route, const store::SiteState* site) {
  if (match.routes.empty()) return uncached({ErrorCode::no_route});
  if (site == nullptr || !app.authenticator.is_ready()) {
    return answer_without_site(app, request, match, route);
  }
  // Monitors ask by any name, and see nothing of a site.
  const bool is_monitored = route != nullptr && route->is_for_monitoring;
  if (!is_monitored && !is_for_site(request, *site, app.base_path)) {
    return uncached({ErrorCode::no_route});
  }
  http::Response response;
  if (request.method == Method::options) {
    response = preflight(request, *site, match);
  } else if (route == nullptr) {
    response = uncached({ErrorCode::no_route});
  } else if (changes(request.method) && !may_change(request, *site)) {
    response = uncached(bad_origin(*site));
  } else {
    response = answer(app, request, *site, match, *route);
  }
  response.headers.push_back({"Allow", match.methods()});
  return response;
}

void add_common_headers(const http::Request& request, const Match& match,
                        const store::SiteState* site, http::Response& response) {
  if (site != nullptr) {
    const bool is_public =
        !changes(request.method) && (match.routes.empty() || match.has_public_read());
    for (http::Header& header : cors_headers(request, *site, is_public)) {
      response.headers.push_back(std::move(header));
    }
  }
  if (!response.body.empty()) {
    if (!has_header(response, "Content-Type")) {
      response.headers.push_back({"Content-Type", "application/json; charset=UTF-8"});
    }
    response.headers.push_back({"Content-Length", std::to_string(response.body.size())});
  }
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"X-Robots-Tag", "noindex"});
  response.headers.push_back({"X-Request-Id", request.id});
  response.headers.push_back(
      {"Vary", "Origin, Cookie, Authorization, X-WP-Nonce, X-Ratingd-Device"});
  response.headers.push_back(
      {"Access-Control-Expose-Headers",
       "X-WP-Total, X-WP-TotalPages, Link, ETag, Allow, Retry-After, RateLimit, RateLimit-Policy, "
       "X-Request-Id, X-WP-Nonce, X-Ratingd-Login"});
}

// Of a request's address nothing is logged, nor of its query, which may hold a proof: the web
// server's own log has both under the same id.
void log_request(const App& app, const http::Request& request, const Route* route,
                 const http::Response& response, std::chrono::nanoseconds duration) {
  constexpr std::size_t kLongestPath = 200;
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(duration);
  app.log.info("request", {{"request", request.id},
                           {"method", name_of(request.method)},
                           {"route", route == nullptr ? "none" : route->path},
                           {"path", request.path.substr(0, kLongestPath)},
                           {"status", response.status},
                           {"bytes", response.body.size()},
                           {"microseconds", microseconds.count()}});
}

// Counts a request before its answer is sent: whoever has the answer finds it counted.
void note(const App& app, const http::Request& request, const Route* route,
          const http::Response& response, std::chrono::nanoseconds duration) {
  app.metrics.add_request(series_of(route, request.method), response.status, duration);
  // Programs that watch are no visitors, and come from elsewhere also where all visitors do not.
  if (route == nullptr || !route->is_for_monitoring) {
    app.metrics.note_sender(request.remote_address, request.forwarded_for);
  }
  if (app.logs_requests) log_request(app, request, route, response, duration);
}

}  // namespace

http::Response serve(const App& app, const http::Request& request) {
  const base::Stopwatch stopwatch;
  const auto site = app.site.state();
  const Match match = match_path(app, request);
  const Route* const route = match.routes.empty() ? nullptr : match.with(effective_method(request));
  http::Response response;
  try {
    response = respond(app, request, match, route, site.get());
  } catch (const std::exception& exception) {
    app.log.error("request_failed", {{"request", request.id}, {"what", exception.what()}});
    response = uncached({ErrorCode::internal});
  }
  add_common_headers(request, match, site.get(), response);
  if (request.method == Method::head) {
    response.body.clear();
    response.pieces = {};
  }
  note(app, request, route, response, stopwatch.elapsed_exactly());
  return response;
}

}  // namespace api
