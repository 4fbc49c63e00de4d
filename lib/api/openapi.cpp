#include "api/openapi.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "api/routes.h"
#include "base/bytes.h"
#include "json/codec.h"
#include "model/settings_table.h"

namespace api {
namespace {

using json::Value;

// The parameters by which analytics select ratings; "Filters" in the file.
constexpr std::string_view kFilters[] = {"Period", "From", "To", "AnalyticsCategory",
                                         "AnalyticsObjectType"};

// The member "name" of an object; an empty object, which is added, if there is none. References to
// other members are invalid then.
Value& at(Value& object, std::string_view name) {
  auto& members = std::get<Value::Object>(object.data);
  const auto found = std::ranges::find(members, name, &json::Member::first);
  if (found != members.end()) return found->second;
  return members.emplace_back(name, Value{Value::Object()}).second;
}

// Removes the member "name" of an object and returns it.
Value take(Value& object, std::string_view name) {
  Value value = std::move(at(object, name));
  std::erase_if(std::get<Value::Object>(object.data),
                [&](const json::Member& member) { return member.first == name; });
  return value;
}

Value read(std::string_view text) {
  auto value = json::parse(text);
  assert(value);
  return *std::move(value);
}

Value reference_to(std::string_view component) {
  return {Value::Object{{"$ref", Value{std::string("#/components/").append(component)}}}};
}

// The list "name" of an object, which is added if there is none.
Value::Array& list_at(Value& object, std::string_view name) {
  Value& list = at(object, name);
  if (!std::holds_alternative<Value::Array>(list.data)) list.data = Value::Array();
  return std::get<Value::Array>(list.data);
}

// What the file itself says stays.
void add(Value& object, std::string_view name, std::string_view component) {
  if (object.find(name) == nullptr) at(object, name) = reference_to(component);
}

std::string_view unauthorized(const Route& route) {
  if (needs_right(route)) return "responses/LoginNeeded";
  const bool needs_voter = route.access == Access::known_voter || route.access == Access::rater;
  return needs_voter ? "responses/NotLoggedIn" : "responses/BadTicket";
}

// Those that every request may meet, and those that follow from the route.
void add_responses(const Route& route, Value& responses) {
  if (route.caching != Caching::never) add(responses, "304", "responses/NotModified");
  add(responses, "400", "responses/BadRequest");
  if (!is_shared(route)) add(responses, "401", unauthorized(route));
  if (needs_right(route)) {
    add(responses, "403", "responses/NotAllowed");
  } else if (route.method != http::Method::get) {
    add(responses, "403", "responses/BadOrigin");
  }
  add(responses, "429", "responses/TooMany");
  add(responses, "500", "responses/InternalError");
  add(responses, "503", "responses/Unavailable");
}

void add_success_headers(const Route& route, Value& headers) {
  if (route.charge != Charge::none && !is_shared(route)) {
    add(headers, "RateLimit-Policy", "headers/RateLimitPolicy");
    add(headers, "RateLimit", "headers/RateLimit");
  }
  if (route.caching != Caching::never) add(headers, "ETag", "headers/ETag");
  if (is_shared(route)) add(headers, "Cache-Status", "headers/CacheStatus");
}

void add_request_id(Value& response) {
  add(at(response, "headers"), "X-Request-Id", "headers/RequestId");
}

// Whether the route takes this way to be identified, one of those in the file; nobody is the empty
// one. Routes that identify nobody still reject bad tickets.
bool takes(const Route& route, const Value& way) {
  const auto has = [&](std::string_view scheme) { return way.find(scheme) != nullptr; };
  const bool is_nobody = way == Value{Value::Object()};
  if (is_shared(route)) return false;
  if (needs_right(route) || route.is_for_monitoring) {
    return is_nobody ? !is_for_administrators(route) : !has("voter") && !has("device");
  }
  if (route.access == Access::identified) return !has("voter") && !has("device");
  if (route.access == Access::anyone) return is_nobody || has("ticket") || has("bearer");
  return !is_nobody || route.access != Access::known_voter;
}

void add_security(const Route& route, const Value& all, Value& operation) {
  Value::Array ways = std::get<Value::Array>(all.data);
  std::erase_if(ways, [&](const Value& way) { return !takes(route, way); });
  Value security{std::move(ways)};
  if (security != all) at(operation, "security") = std::move(security);
}

bool takes_parameter(const Value& operation, std::string_view name) {
  const Value* parameters = operation.find("parameters");
  return parameters != nullptr &&
         std::ranges::count(std::get<Value::Array>(parameters->data), Value{std::string(name)}) > 0;
}

// What follows from "x-answer" and from the parameters.
void complete_success(const Value& operation, Value& response) {
  if (response.find("x-answer") == nullptr) return;
  const Value name = take(response, "x-answer");
  const bool has_csv = takes_parameter(operation, "Format");
  Value& content = at(response, "content");
  add(at(content, "application/json"), "schema", "schemas/" + std::get<std::string>(name.data));
  if (has_csv) add(at(content, "text/csv"), "schema", "schemas/Csv");
  Value& headers = at(response, "headers");
  if (has_csv) add(headers, "Content-Disposition", "headers/FileName");
  if (takes_parameter(operation, "Page")) {
    add(headers, "X-WP-Total", "headers/Total");
    add(headers, "X-WP-TotalPages", "headers/TotalPages");
  }
  if (takes_parameter(operation, "PerPage")) add(headers, "Link", "headers/PageLinks");
}

// Those that follow are added to those of the file, which has the names of components as strings.
void complete_parameters(const Route& route, bool is_json, Value& operation) {
  Value::Array& given = list_at(operation, "parameters");
  if (is_json && !is_shared(route)) given.push_back({"Fields"});
  if (route.caching != Caching::never) given.push_back({"IfNoneMatch"});
  Value::Array parameters;
  const auto refer_to = [&](std::string_view name) {
    parameters.push_back(reference_to(std::string("parameters/").append(name)));
  };
  for (Value& parameter : given) {
    const auto* name = std::get_if<std::string>(&parameter.data);
    if (name == nullptr) {
      parameters.push_back(std::move(parameter));
    } else if (*name == "Filters") {
      std::ranges::for_each(kFilters, refer_to);
    } else {
      refer_to(*name);
    }
  }
  given = std::move(parameters);
  if (given.empty()) take(operation, "parameters");
}

// Every form may be sent in both of its encodings.
void add_multipart(Value& body) {
  if (body.find("content") == nullptr) return;
  Value& content = at(body, "content");
  const Value* form = content.find("application/x-www-form-urlencoded");
  if (form == nullptr) return;
  Value copy = *form;
  at(content, "multipart/form-data") = std::move(copy);
}

void complete(const Route& route, Value& operation) {
  bool is_json = false;
  Value& responses = at(operation, "responses");
  for (auto& [status, response] : std::get<Value::Object>(responses.data)) {
    if (response.find("$ref") != nullptr) continue;
    complete_success(operation, response);
    is_json = is_json || at(response, "content").find("application/json") != nullptr;
    add_request_id(response);
    if (status.starts_with('2')) add_success_headers(route, at(response, "headers"));
  }
  add_responses(route, responses);
  if (operation.find("requestBody") != nullptr) add_multipart(at(operation, "requestBody"));
  complete_parameters(route, is_json, operation);
}

// Adds the tag of each operation, by the first segments of paths that the file has for each tag.
void add_tags(Value& description) {
  for (Value& tag : list_at(description, "tags")) {
    const Value segments = take(tag, "x-paths");
    for (auto& [path, item] : std::get<Value::Object>(at(description, "paths").data)) {
      const Value segment{path.substr(1, path.find('/', 1) - 1)};
      if (std::ranges::count(std::get<Value::Array>(segments.data), segment) == 0) continue;
      for (auto& [method, operation] : std::get<Value::Object>(item.data)) {
        list_at(operation, "tags").push_back(at(tag, "name"));
      }
    }
  }
}

// Schemas with properties are of objects, and require all properties unless the file names others.
void complete_schemas(Value& value) {
  if (auto* array = std::get_if<Value::Array>(&value.data)) {
    std::ranges::for_each(*array, complete_schemas);
  }
  auto* members = std::get_if<Value::Object>(&value.data);
  if (members == nullptr) return;
  for (auto& [name, member] : *members) complete_schemas(member);
  const Value* properties = value.find("properties");
  if (properties == nullptr) return;
  Value::Array names;
  for (const auto& [name, schema] : std::get<Value::Object>(properties->data)) {
    names.push_back({name});
  }
  if (value.find("type") == nullptr) at(value, "type") = {"object"};
  if (value.find("required") == nullptr) {
    at(value, "required") = {std::move(names)};
  } else if (list_at(value, "required").empty()) {
    take(value, "required");
  }
}

void add_success(Value& schemas) {
  for (auto& [name, schema] : std::get<Value::Object>(schemas.data)) {
    if (!name.ends_with("Answer")) continue;
    Value::Array parts = {reference_to("schemas/Success")};
    if (schema.find("allOf") == nullptr) {
      parts.push_back(std::move(schema));
    } else {
      std::ranges::move(list_at(schema, "allOf"), std::back_inserter(parts));
    }
    schema = {Value::Object{{"allOf", {std::move(parts)}}}};
  }
}

// The schema of errors, for which the file has those of their "code" and "status".
void add_error_schema(Value& response) {
  if (response.find("x-error") == nullptr) return;
  Value error = take(response, "x-error");
  Value schema = read(R"({"allOf":[{"$ref":"#/components/schemas/Error"},{"type":"object",)"
                      R"("properties":{"data":{"type":"object"}}}]})");
  Value& properties = at(std::get<Value::Array>(at(schema, "allOf").data).back(), "properties");
  at(properties, "code") = at(error, "code");
  at(at(at(properties, "data"), "properties"), "status") = at(error, "status");
  at(at(at(response, "content"), "application/json"), "schema") = std::move(schema);
}

// "max_ratings_per_address" as "MaxRatingsPerAddressSetting": the name of a component, because some
// generators of clients resolve no other references.
std::string component_of(std::string_view setting) {
  std::string name;
  for (bool begins_word = true; const char c : setting) {
    if (c != '_') name += begins_word ? static_cast<char>(c - 'a' + 'A') : c;
    begins_word = c == '_';
  }
  return name + "Setting";
}

void add_settings(Value& schemas) {
  const Value each = read(setting_schemas());
  Value::Object of_site;
  Value::Object of_network;
  Value::Array names;
  for (const auto& [name, schema] : std::get<Value::Object>(each.data)) {
    const std::string component = component_of(name);
    at(schemas, component) = schema;
    const Value reference = reference_to("schemas/" + component);
    of_site.emplace_back(name, reference);
    of_network.emplace_back(
        name,
        Value{Value::Object{{"anyOf", {Value::Array{reference, read(R"({"type":"null"})")}}}}});
    names.push_back({name});
  }
  for (const std::string_view one : {"Settings", "SettingsChange"}) {
    at(at(schemas, one), "properties") = {of_site};
  }
  for (const std::string_view one : {"NetworkSettings", "NetworkSettingsChange"}) {
    at(at(schemas, one), "properties") = {of_network};
  }
  for (const std::string_view one : {"SettingsAnswer", "NetworkSettingsAnswer"}) {
    Value& answer = std::get<Value::Array>(at(at(schemas, one), "allOf").data).back();
    at(at(at(answer, "properties"), "data"), "required") = {names};
  }
}

std::string completed() {
  Value description = read(openapi_text());
  complete_schemas(description);
  add_tags(description);
  const Value ways = at(description, "security");
  for (const Route& route : routes()) {
    // A path of OpenAPI begins with a slash, also the one of the index.
    Value& path = at(at(description, "paths"), route.path.empty() ? "/" : route.path);
    Value& operation = at(path, base::to_lower(name_of(route.method)));
    add_security(route, ways, operation);
    complete(route, operation);
  }
  Value& components = at(description, "components");
  for (auto& [name, response] : std::get<Value::Object>(at(components, "responses").data)) {
    add_request_id(response);
    add_error_schema(response);
  }
  for (auto& [name, body] : std::get<Value::Object>(at(components, "requestBodies").data)) {
    add_multipart(body);
  }
  add_success(at(components, "schemas"));
  add_settings(at(components, "schemas"));
  std::string text;
  json::Writer(text).value(description);
  return text;
}

}  // namespace

const std::string& openapi_description() {
  static const std::string description = completed();
  return description;
}

}  // namespace api
