#include "api/service.h"

#include <map>
#include <string>
#include <vector>

#include "api/openapi.h"
#include "api/routes.h"
#include "base/address.h"
#include "db/migrations.h"
#include "json/codec.h"

namespace api {
namespace {

constexpr std::string_view kDescribedBasePath = "/wp-json/ratingd/v1";

// "/wp-json/ratingd/v1" is the namespace "ratingd/v1" of WordPress's REST API.
std::string namespace_of(std::string_view base_path) {
  constexpr std::string_view kRestRoot = "/wp-json/";
  const std::size_t root = base_path.rfind(kRestRoot);
  return std::string(
      base_path.substr(root == std::string_view::npos ? 1 : root + kRestRoot.size()));
}

void write_methods(json::Writer& json, const std::vector<http::Method>& methods) {
  json.key("methods").begin_array();
  for (const http::Method method : methods) json.string(name_of(method));
  json.end_array();
}

// "/stats/{object_id}" as WordPress writes its routes: "/stats/(?P<object_id>[^/]+)".
std::string wordpress_pattern(std::string_view path) {
  std::string pattern;
  for (const char c : path) {
    if (c == '{') {
      pattern += "(?P<";
    } else if (c == '}') {
      pattern += ">[^/]+)";
    } else {
      pattern += c;
    }
  }
  return pattern;
}

}  // namespace

Result service_index(const App& app, const Call&) {
  const std::string name = namespace_of(app.base_path);
  std::map<std::string, std::vector<http::Method>> methods_by_route;
  for (const Route& route : routes()) {
    methods_by_route["/" + name + wordpress_pattern(route.path)].push_back(route.method);
  }
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("namespace").string(name).key("routes").begin_object();
  for (const auto& [route, methods] : methods_by_route) {
    json.key(route).begin_object().key("namespace").string(name);
    write_methods(json, methods);
    json.key("endpoints").begin_array();
    for (const http::Method method : methods) {
      json.begin_object();
      write_methods(json, {method});
      json.key("args").begin_object().end_object().end_object();
    }
    json.end_array().end_object();
  }
  json.end_object().end_object();
  return answer;
}

Result health(const App& app, const Call& call) {
  // Nobody is looked up for this route, so the asker has no address.
  const bool is_detailed =
      base::Address::parse(call.request.remote_address).is_loopback() && !call.request.is_forwarded;
  store::Calendar calendar;
  const int schema = app.sessions.with_session([&](db::Connection& connection) {
    if (is_detailed) calendar = app.analytics.calendar.read(connection);
    return db::schema_version(connection, app.table_prefix);
  });
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("status").string("ok");
  if (is_detailed) {
    json.key("version").string(RATINGD_VERSION).key("schema").integer(schema);
    json.key("timezone").string(calendar.zone.name()).key("timezone_pending");
    if (calendar.is_pending()) {
      json.string(calendar.site_zone.name());
    } else {
      json.null();
    }
    json.key("rebuild_unfinished").boolean(calendar.is_rebuilding);
  }
  json.end_object();
  return answer;
}

Result openapi(const App& app, const Call&) {
  Answer answer;
  answer.body = openapi_text();
  if (const auto place = answer.body.find(kDescribedBasePath); place != std::string::npos) {
    answer.body.replace(place, kDescribedBasePath.size(), app.base_path);
  }
  return answer;
}

}  // namespace api
