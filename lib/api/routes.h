#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/route.h"
#include "http/request.h"

namespace api {

// The table of all routes.
[[nodiscard]] std::span<const Route> routes();

// The routes of a path.
struct Match {
  std::vector<const Route*> routes;  // one for each method; empty if there is no such path
  std::string argument;              // the values of "{…}", separated by "/"

  // nullptr if the path does not support "method".
  [[nodiscard]] const Route* with(http::Method method) const;
  // Whether the path has a GET route without authorisation.
  [[nodiscard]] bool has_public_read() const;
  // Whether the path has a POST route that changes nothing.
  [[nodiscard]] bool has_safe_post() const;
  // Whether the answers of the path, also errors, are the same for everybody (see route.h).
  [[nodiscard]] bool is_shared() const;
  // "GET, POST", as in the Allow header.
  [[nodiscard]] std::string methods() const;
};

// Finds the routes of a decoded path below the base path, ignoring case and a trailing slash.
[[nodiscard]] Match find_route(std::string_view path);

// The same for the path of a request; no routes if the path is not below "base_path".
[[nodiscard]] Match find_route(std::string_view base_path, const http::Request& request);

// The method that selects the route: GET for HEAD; POST can be overridden by a header.
[[nodiscard]] http::Method effective_method(const http::Request& request);

// The route of "match" for the request's effective method; nullptr if there is none. A POST never
// selects a shared route.
[[nodiscard]] const Route* choose_route(const Match& match, const http::Request& request);

// The series of a request that "route" answers, or no route.
[[nodiscard]] std::size_t series_of(const Route* route, http::Method method);

}  // namespace api
