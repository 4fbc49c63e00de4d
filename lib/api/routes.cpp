#include "api/routes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "http/parse.h"

namespace api {
namespace {

using http::Method;

// Removes the first segment from "path" and returns the segment, which starts with "/".
std::string_view take_segment(std::string_view& path) {
  const std::size_t end = std::min(path.find('/', 1), path.size());
  const std::string_view segment = path.substr(1, end - 1);
  path.remove_prefix(end);
  return segment;
}

// Returns false if a path that begins with "found" cannot match a pattern that begins with
// "expected", ignoring case. May return true for some characters that do not match, because the
// fast comparison ignores one bit of each character.
bool may_begin_alike(char expected, char found) {
  constexpr unsigned char kCase = 'a' ^ 'A';
  return expected == '{' || (static_cast<unsigned char>(expected ^ found) & ~kCase) == 0;
}

// Returns the segments of "path" that match "{…}" in "pattern", separated by "/". Returns nothing
// if "path" does not match.
std::optional<std::string> match(std::string_view pattern, std::string_view path) {
  if (pattern.size() > 1 && path.size() > 1 && !may_begin_alike(pattern[1], path[1])) {
    return std::nullopt;
  }
  std::string argument;
  while (!pattern.empty() && !path.empty()) {
    const std::string_view expected = take_segment(pattern);
    const std::string_view segment = take_segment(path);
    if (expected.starts_with('{') && !segment.empty()) {
      if (!argument.empty()) argument += '/';
      argument += segment;
    } else if (!base::equals_ignoring_case(expected, segment)) {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return argument;
}

// Returns the method that overrides POST. As in WordPress, the `_method` query parameter has
// priority over the X-HTTP-Method-Override header.
std::string overriding_method(const http::Request& request) {
  std::string method(request.method_override);
  const auto query = http::parse_form(request.query);
  if (!query) return method;
  for (const http::Field& field : *query) {
    if (field.name == "_method") method = field.value;
  }
  return method;
}

}  // namespace

bool is_shared(const Route& route) { return route.caching == Caching::shared; }

bool is_for_administrators(const Route& route) {
  return route.access == Access::administrator || route.access == Access::moderator ||
         route.access == Access::network;
}

bool is_for_voters(const Route& route) {
  return route.access == Access::voter || route.access == Access::rater ||
         route.access == Access::known_voter;
}

bool is_for_votes(const Route& route) { return route.path == "/rate"; }

bool needs_right(const Route& route) {
  return route.access != Access::anyone && route.access != Access::identified &&
         route.access != Access::monitor && !is_for_voters(route);
}

bool is_safe_post(const Route& route) {
  return route.method == http::Method::post && route.charge == Charge::read;
}

std::vector<std::string> request_series(std::span<const Route> routes) {
  std::vector<std::string> names;
  names.reserve(routes.size() + 2);
  for (const Route& route : routes) {
    names.push_back(std::string(name_of(route.method)) + ' ' +
                    (route.path.empty() ? "/" : std::string(route.path)));
  }
  names.insert(names.end(), {"OPTIONS any", "other none"});
  return names;
}

const Route* Match::with(Method method) const {
  for (const Route* route : routes) {
    if (route->method == method) return route;
  }
  return nullptr;
}

bool Match::has_public_read() const {
  const Route* route = with(Method::get);
  return route != nullptr && !is_for_administrators(*route) && route->access != Access::monitor;
}

bool Match::is_for_voters() const {
  return std::ranges::any_of(routes, [](const Route* one) { return api::is_for_voters(*one); });
}

bool Match::has_safe_post() const {
  const Route* route = with(Method::post);
  return route != nullptr && is_safe_post(*route);
}

bool Match::is_shared() const {
  const Route* route = with(Method::get);
  return route != nullptr && api::is_shared(*route);
}

Route Match::description() const {
  const auto has = [&](const auto& is_such) {
    return std::ranges::any_of(routes, [&](const Route* route) { return is_such(*route); });
  };
  Route route = *routes.front();
  route.method = Method::options;
  route.charge = Charge::read;
  if (is_for_voters()) {
    route.access = Access::voter;
  } else if (has(needs_right)) {
    route.access = Access::identified;
  }
  // Rate limits do not apply to monitors that are identified by their address.
  route.is_for_monitoring = route.access == Access::monitor;
  return route;
}

std::string Match::methods() const {
  return base::joined(routes, ", ", [](const Route* route) { return name_of(route->method); });
}

Match find_route(std::span<const Route> routes, std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  Match found;
  for (const Route& route : routes) {
    auto argument = match(route.path, path);
    if (!argument) continue;
    found.routes.push_back(&route);
    found.argument = *std::move(argument);
  }
  return found;
}

Match find_route(std::span<const Route> routes, std::string_view base_path,
                 const http::Request& request) {
  const std::string path = http::decoded_path(request.path);
  std::string_view below = path;
  if (!below.starts_with(base_path)) return {};
  below.remove_prefix(base_path.size());
  if (!below.empty() && below.front() != '/') return {};
  return find_route(routes, below);
}

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

const Route* choose_route(const Match& match, const http::Request& request) {
  const Route* route = match.with(effective_method(request));
  const bool is_overridden = request.method == Method::post && route != nullptr;
  return is_overridden && is_shared(*route) ? nullptr : route;
}

std::size_t series_of(std::span<const Route> routes, const Route* route, Method method) {
  if (route != nullptr) return static_cast<std::size_t>(route - routes.data());
  return routes.size() + (method == Method::options ? 0 : 1);
}

}  // namespace api
