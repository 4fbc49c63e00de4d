#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "http/request.h"

namespace api {

// Who may ask, and what is looked up about them.
enum class Access {
  anyone,         // nobody is looked up
  monitor,        // who may see how the service is (access.h); for others there is no such route
  voter,          // anyone; a voter is recognised
  rater,          // the same, but only while the settings let them rate
  known_voter,    // voters that are recognised; others are answered 401
  administrator,  // those who may manage_options
  analytics,      // those whom the setting analytics_access names
  all_persons,    // those of them who may list_users
  one_person,     // the same, and the user whose id is the argument
};

// What a request takes from the allowance of its address. Protected routes take nothing: who may
// use them is trusted, and who may not is limited by failed logins. Analytics may be open to more
// people than administrators.
enum class Charge {
  none,
  read,
  read_unless_admin,  // as read, once it is known that it is no administrator who asks
  write,
};

// How the answer of a route may be kept by browsers.
enum class Caching {
  never,     // no-store
  validate,  // private, no-cache with an ETag
  briefly,   // private, for the seconds of the setting analytics_cache_seconds
};

// What is in the body of a request.
enum class Body {
  parameters,  // values by name, as in the query
  file,        // what the handler reads itself, of any size; parameters are in the query
};

// One row of the table that shows the whole service.
struct Route {
  http::Method method;
  std::string_view path;  // below the base path; each "{…}" stands for one segment
  Access access;
  Charge charge;
  Caching caching;
  Result (*handler)(const App& app, const Call& call);
  Body body = Body::parameters;
  bool is_for_monitoring = false;  // answered also while the database has never been there
};

[[nodiscard]] std::span<const Route> routes();

// Where a path leads.
struct Match {
  std::vector<const Route*> routes;  // one for each method; empty if there is no such path
  std::string argument;              // what stands for "{…}", several with a "/" between

  // nullptr if the path does not take "method".
  [[nodiscard]] const Route* with(http::Method method) const;
  // Whether everybody may read here.
  [[nodiscard]] bool has_public_read() const;
  // "GET, POST", as in the Allow header.
  [[nodiscard]] std::string methods() const;
};

// Looks a decoded path below the base path up, whatever its case; a trailing slash is let pass.
[[nodiscard]] Match find_route(std::string_view path);

// The same for the path of a request; no routes for a path that is not below "base_path".
[[nodiscard]] Match find_route(std::string_view base_path, const http::Request& request);

// The method that decides the route: HEAD looks for GET, a POST may be overridden.
[[nodiscard]] http::Method effective_method(const http::Request& request);

[[nodiscard]] std::string_view name_of(http::Method method);

// The series in which requests are counted (base::Metrics): one for each route, as
// "GET /stats/{object_id}", "OPTIONS any" for what browsers ask before they ask, and "other none"
// for what no route answers.
[[nodiscard]] std::vector<std::string> request_series();

// Where a request is counted that "route", or none, answers.
[[nodiscard]] std::size_t series_of(const Route* route, http::Method method);

}  // namespace api
