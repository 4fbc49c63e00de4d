#include "api/site_match.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "base/origin.h"
#include "http/parse.h"

namespace api {
namespace {

constexpr std::string_view kWww = "www.";

bool is_host_of(std::string_view host, const store::SiteState& site) {
  if (host.starts_with(kWww)) host.remove_prefix(kWww.size());
  return std::ranges::any_of(site.origins, [&](const std::string& origin) {
    std::string_view own = base::host_of(origin);
    if (own.starts_with(kWww)) own.remove_prefix(kWww.size());
    return base::equals_ignoring_case(own, host);
  });
}

bool is_path_of(std::string_view sent_path, std::string_view home, std::string_view base_path) {
  const std::string path = http::decoded_path(sent_path);
  std::string_view rest = path;
  if (rest.starts_with(base_path)) {
    rest.remove_prefix(base_path.size());
    if (rest.empty() || rest.front() == '/') return true;
  }
  // WordPress may store either form of its address.
  const std::string decoded_home = http::decoded_path(home);
  rest = path;
  if (!rest.starts_with(decoded_home)) return false;
  rest.remove_prefix(decoded_home.size());
  return rest.empty() || rest == "/" || rest == "/index.php";
}

}  // namespace

bool is_for_site(const http::Request& request, const store::SiteState& site,
                 std::string_view base_path) {
  if (site.is_of_network && !request.host.empty() && !site.origins.empty() &&
      !is_host_of(request.host, site)) {
    return false;
  }
  // The path with a route is the one that was sent, unless the request came by rest_route.
  return request.sent_path.empty() || request.sent_path == request.path || !site.home_path ||
         is_path_of(request.sent_path, *site.home_path, base_path);
}

}  // namespace api
