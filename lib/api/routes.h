#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/app.h"
#include "api/call.h"
#include "http/request.h"

namespace api {

enum class Access {
  anyone,  // everybody; the requester is not identified
  // Everybody has access, but users are identified, so that the Allow header can list the methods
  // that a user may use on the path.
  identified,
  monitor,        // monitors and administrators (access.h); others receive 404
  voter,          // everybody; voters are identified
  rater,          // same as voter, but only if the settings allow rating
  known_voter,    // identified voters; others receive 401 (from the handler if the route reads)
  administrator,  // users with the permission to administer
  moderator,      // administrators with the permission to see persons
  network,        // users with the permission to administer the network
  analytics,      // the people whom the setting `analytics_access` allows
  all_persons,    // same as analytics, but only with the permission to see persons
  one_person,     // same as all_persons, and the user whose id is the argument
};

// Specifies how a request counts against the rate limit for the client's network. Routes that
// require a permission are not limited, because their users are trusted and failed logins are
// limited. Requests for analytics count against the limit unless an administrator sends them,
// because a setting can make analytics public.
enum class Charge {
  none,
  read,
  read_unless_admin,  // same as read, but free for administrators
  write,
};

// Specifies how a route's response may be cached.
enum class Caching {
  never,     // no-store
  validate,  // private, no-cache with an ETag
  shared,    // any cache may store the response (is_shared)
  briefly,   // private, for as many seconds as the setting `analytics_cache_seconds` says
};

enum class Body {
  parameters,  // parameters with names, as in the query
  file,        // a file of any size, which the handler reads; parameters are in the query
};

namespace internal {

template <typename... Parameters>
constexpr std::size_t groups_of(Result (*)(Parameters...)) {
  return sizeof...(Parameters) - 1;  // the last parameter is the call
}

template <typename... Parameters, std::size_t... i>
Result run(Result (*handler)(Parameters...), const App& app, const Call& call,
           std::index_sequence<i...>) {
  using Types = std::tuple<std::remove_cvref_t<Parameters>...>;
  return handler(app.get<std::tuple_element_t<i, Types>>()..., call);
}

}  // namespace internal

// Calls the handler. The handler receives the groups of services that it declares as parameters.
template <auto handler>
Result run(const App& app, const Call& call) {
  constexpr auto kGroups = std::make_index_sequence<internal::groups_of(handler)>();
  return internal::run(handler, app, call, kGroups);
}

struct Route {
  http::Method method;
  std::string_view path;  // the path below the base path; each "{…}" matches one segment
  Access access;
  Charge charge;
  Caching caching;
  Result (*handler)(const App& app, const Call& call);  // the result of run()
  Body body = Body::parameters;
  bool is_for_monitoring = false;  // answered even before the database was read for the first time
};

// Returns whether the response is the same for everybody, so that any cache may store it. A shared
// response depends only on the path and the query, and not on the body, the `_fields` parameter,
// cookies, credentials or the origin. A POST request never selects a shared route, even if it
// overrides the method.
[[nodiscard]] bool is_shared(const Route& route);

[[nodiscard]] bool is_for_administrators(const Route& route);

// Returns whether the route casts or withdraws a vote.
[[nodiscard]] bool is_for_votes(const Route& route);

// Returns whether the route identifies voters and does not require a permission.
[[nodiscard]] bool is_for_voters(const Route& route);

// Returns whether the route requires a permission, either always or depending on the settings.
[[nodiscard]] bool needs_right(const Route& route);

// Returns whether a POST request to the route changes no data, for example POST /preview. Pages
// from any origin may send such a request.
[[nodiscard]] bool is_safe_post(const Route& route);

// Returns the names of the request series (runtime::Metrics). Each route has a series, such as "GET
// /stats/{object_id}". The "OPTIONS any" series counts CORS preflights, and the "other none" series
// counts requests that match no route.
[[nodiscard]] std::vector<std::string> request_series(std::span<const Route> routes);

struct Match {
  std::vector<const Route*> routes;  // one route for each method; empty if the path does not exist
  std::string argument;              // the values of "{…}", separated by "/"

  // Returns the route for "method", or nullptr if the path does not support this method.
  [[nodiscard]] const Route* with(http::Method method) const;
  // Returns whether the path has a GET route that is neither for administrators nor for monitoring.
  [[nodiscard]] bool has_public_read() const;
  // Returns whether the path has a route that identifies voters.
  [[nodiscard]] bool is_for_voters() const;
  // Returns whether the path has a POST route that changes no data.
  [[nodiscard]] bool has_safe_post() const;
  // Returns whether all responses on the path, including errors, are the same for everybody (see
  // is_shared() above).
  [[nodiscard]] bool is_shared() const;
  // Returns the route for OPTIONS requests to the path. If the Allow header depends on the
  // requester's permissions, the returned route identifies users. The path must have routes.
  [[nodiscard]] Route description() const;
  // Returns the methods of all routes, such as "GET, POST".
  [[nodiscard]] std::string methods() const;
};

// Returns the elements of "routes" whose path matches "path". The argument "path" must be decoded
// and relative to the base path. Ignores case and a trailing slash.
[[nodiscard]] Match find_route(std::span<const Route> routes, std::string_view path);

// Returns the routes for the request's path. Finds no route if the path is not below "base_path".
[[nodiscard]] Match find_route(std::span<const Route> routes, std::string_view base_path,
                               const http::Request& request);

// Returns the method that selects the route. HEAD selects the route for GET. The `_method` query
// parameter, or the X-HTTP-Method-Override header, can override the POST method.
[[nodiscard]] http::Method effective_method(const http::Request& request);

// Returns the route in "match" for the result of effective_method(), or nullptr if the path does
// not support this method. A request sent with the POST method never selects a shared route.
[[nodiscard]] const Route* choose_route(const Match& match, const http::Request& request);

// Returns the index of a request's series in the list returned by request_series(routes). The
// argument "route" is an element of "routes", or nullptr if no route matches the request.
[[nodiscard]] std::size_t series_of(std::span<const Route> routes, const Route* route,
                                    http::Method method);

}  // namespace api
