#include "api/route.h"

namespace api {

bool is_shared(const Route& route) { return route.caching == Caching::shared; }

bool is_for_administrators(const Route& route) {
  return route.access == Access::administrator || route.access == Access::moderator;
}

bool is_for_voters(const Route& route) {
  return route.access == Access::voter || route.access == Access::rater ||
         route.access == Access::known_voter;
}

bool needs_right(const Route& route) {
  return route.access != Access::anyone && route.access != Access::monitor && !is_for_voters(route);
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

}  // namespace api
