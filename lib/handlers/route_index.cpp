// Handlers for the index of all routes and for the description of one path.

#include "handlers/route_index.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/links.h"
#include "base/text.h"
#include "handlers/handlers.h"
#include "json/codec.h"
#include "openapi/description.h"

namespace handlers {
namespace {

// The routes for one path, in the order of the route table.
using Routes = std::vector<const api::Route*>;

// Returns a path in the format of WordPress's routes, such as "/stats/(?P<object_id>[^/]+)" for
// "/stats/{object_id}".
std::string route_pattern(std::string_view path) {
  return base::replace_all(base::replace_all(path, "{", "(?P<"), "}", ">[^/]+)");
}

void write_methods(json::Writer& json, const Routes& routes) {
  json.key("methods").begin_array();
  for (const api::Route* route : routes) json.string(name_of(route->method));
  json.end_array();
}

void write_link(json::Writer& json, std::string_view relation, const std::string& url) {
  json.key("_links").begin_object().key(relation).begin_array();
  json.begin_object().key("href").string(url).end_object();
  json.end_array().end_object();
}

// Methods with the same handler are combined into one endpoint, as WordPress does with POST, PUT
// and PATCH.
std::vector<Routes> endpoints_of(const Routes& routes) {
  std::vector<Routes> endpoints;
  for (const api::Route* route : routes) {
    const auto known = std::ranges::find_if(endpoints, [&](const Routes& endpoint) {
      return endpoint.front()->handler == route->handler;
    });
    if (known != endpoints.end()) {
      known->push_back(route);
    } else {
      endpoints.push_back({route});
    }
  }
  return endpoints;
}

void write_path(json::Writer& json, const api::Core& core, const api::Front& front,
                const api::Call& call, const Routes& routes) {
  json.begin_object().key("namespace").string(api::namespace_of(core.base_path));
  write_methods(json, routes);
  json.key("endpoints").begin_array();
  for (const Routes& endpoint : endpoints_of(routes)) {
    json.begin_object();
    write_methods(json, endpoint);
    json.key("args").raw(front.description.arguments_of(*endpoint.front())).end_object();
  }
  json.end_array();
  const std::string_view path = routes.front()->path;
  if (path.find('{') == std::string_view::npos)
    write_link(json, "self", api::url_of(core, call, path));
  json.end_object();
}

// Writes the login URLs needed by pages outside the CMS.
void write_login(json::Writer& json, const http::Request& request,
                 const cms::LoginAddresses& login) {
  json.key("login").begin_object();
  json.key("page").string(api::with_scheme_of(request, login.page));
  json.key("nonce").string(api::with_scheme_of(request, login.nonce)).end_object();
}

}  // namespace

api::Answer describe_path(const api::Core& core, const api::Front& front, const api::Call& call,
                          const api::Match& match) {
  api::Answer answer;
  json::Writer json(answer.body);
  write_path(json, core, front, call, match.routes);
  return answer;
}

api::Result service_index(const api::Core& core, const api::Front& front, const api::Call& call) {
  const std::string name = api::namespace_of(core.base_path);
  std::map<std::string, Routes> routes_by_path;
  for (const api::Route& route : front.routes) {
    routes_by_path["/" + name + route_pattern(route.path)].push_back(&route);
  }
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("namespace").string(name).key("routes").begin_object();
  for (const auto& [path, routes] : routes_by_path) {
    json.key(path);
    write_path(json, core, front, call, routes);
  }
  json.end_object();
  if (const auto root = api::rest_root(core, call)) write_link(json, "up", *root);
  if (call.site.login) write_login(json, call.request, *call.site.login);
  json.end_object();
  return answer;
}

}  // namespace handlers
