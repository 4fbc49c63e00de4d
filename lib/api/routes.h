#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "http/request.h"

namespace api {

// Who may use a route, and how the requester is identified.
enum class Access {
  anyone,         // no identification
  identified,     // anyone; users are identified, because other methods of the path need a right
  monitor,        // monitors and administrators (access.h); others get 404
  voter,          // anyone; voters are identified
  rater,          // as voter, if the settings allow rating
  known_voter,    // identified voters; others get 401, from the handler if the route reads
  administrator,  // those with the right to administer
  moderator,      // as administrator, and with the right to see persons
  network,        // those with the right to administer the network
  analytics,      // by the setting analytics_access
  all_persons,    // as analytics, and with the right to see persons
  one_person,     // as all_persons, or the user whose id is the argument
};

// How a request counts against the rate limit of its network. Protected routes are not limited:
// their users are trusted, and failed logins are limited. Analytics may be open to more people than
// administrators.
enum class Charge {
  none,
  read,
  read_unless_admin,  // as read, except for administrators
  write,
};

// How the answer of a route may be cached.
enum class Caching {
  never,     // no-store
  validate,  // private, no-cache with an ETag
  shared,    // by any cache (is_shared)
  briefly,   // private, for the seconds of the setting analytics_cache_seconds
};

enum class Body {
  parameters,  // values by name, as in the query
  file,        // read by the handler, of any size; parameters are in the query
};

struct Route {
  http::Method method;
  std::string_view path;  // below the base path; each "{…}" matches one segment
  Access access;
  Charge charge;
  Caching caching;
  Result (*handler)(const App& app, const Call& call);
  Body body = Body::parameters;
  bool is_for_monitoring = false;  // also answered before the database was first read
};

// Whether the answer is the same for everybody, so that any cache may keep it. It depends on the
// path and the query alone: no other method means GET, and the body, _fields, cookies, credentials
// and the origin have no effect.
[[nodiscard]] bool is_shared(const Route& route);

[[nodiscard]] bool is_for_administrators(const Route& route);

// Returns whether the route casts a vote or withdraws one.
[[nodiscard]] bool is_for_votes(const Route& route);

// Whether the route identifies voters, and asks for no right.
[[nodiscard]] bool is_for_voters(const Route& route);

// Whether the route asks for a right, always or by the settings.
[[nodiscard]] bool needs_right(const Route& route);

// Whether a POST of the route changes nothing, as POST /preview: pages of any origin may send it.
[[nodiscard]] bool is_safe_post(const Route& route);

// The names of the series of requests (runtime::Metrics): one per route, as "GET
// /stats/{object_id}", "OPTIONS any" for CORS preflights, and "other none" for requests without a
// route.
[[nodiscard]] std::vector<std::string> request_series(std::span<const Route> routes);

// The routes of a path.
struct Match {
  std::vector<const Route*> routes;  // one for each method; empty if there is no such path
  std::string argument;              // the values of "{…}", separated by "/"

  // nullptr if the path does not support "method".
  [[nodiscard]] const Route* with(http::Method method) const;
  // Whether the path has a GET route without authorisation.
  [[nodiscard]] bool has_public_read() const;
  // Whether the path has a route that identifies voters.
  [[nodiscard]] bool is_for_voters() const;
  // Whether the path has a POST route that changes nothing.
  [[nodiscard]] bool has_safe_post() const;
  // Whether the answers of the path, also errors, are the same for everybody (see above).
  [[nodiscard]] bool is_shared() const;
  // The route that says how OPTIONS on the path is admitted. It identifies the requester if that
  // decides which methods they may use. REQUIRES: the path has routes.
  [[nodiscard]] Route description() const;
  // All of them: "GET, POST".
  [[nodiscard]] std::string methods() const;
};

// Finds those of "routes" that have the decoded path, which is below the base path. Ignores case
// and a trailing slash.
[[nodiscard]] Match find_route(std::span<const Route> routes, std::string_view path);

// As above, for the path of a request. Finds none if the path is not below "base_path".
[[nodiscard]] Match find_route(std::span<const Route> routes, std::string_view base_path,
                               const http::Request& request);

// The method that selects the route: GET for HEAD; POST can be overridden by a header.
[[nodiscard]] http::Method effective_method(const http::Request& request);

// The route of "match" for the request's effective method; nullptr if there is none. A POST never
// selects a shared route.
[[nodiscard]] const Route* choose_route(const Match& match, const http::Request& request);

// Returns the index in request_series(routes) of a request that "route", one of "routes", answers.
// nullptr: no route answers it.
[[nodiscard]] std::size_t series_of(std::span<const Route> routes, const Route* route,
                                    http::Method method);

}  // namespace api
