#include "openapi/description.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "json/codec.h"
#include "model/settings.h"
#include "openapi/documents.h"
#include "openapi/route_arguments.h"
#include "openapi/setting_schemas.h"

namespace openapi {
namespace {

using json::Value;

// The parameters that select ratings in analytics. In the JSON documents, the name "Filters"
// represents all of these parameters.
constexpr std::string_view kFilters[] = {"Period", "From", "To", "AnalyticsCategory",
                                         "AnalyticsObjectType"};

// Returns the object's member with this name. If the member is missing, first adds an empty object
// under this name. Adding a member invalidates references to other members.
Value& at(Value& object, std::string_view name) {
  auto& members = std::get<Value::Object>(object.data);
  const auto found = std::ranges::find(members, name, &json::Member::first);
  if (found != members.end()) return found->second;
  return members.emplace_back(name, Value{Value::Object()}).second;
}

// Removes the member "name" from an object and returns its value.
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

// Returns the object's member with this name as a list. If the member is not a list, first replaces
// it with an empty list.
Value::Array& list_at(Value& object, std::string_view name) {
  Value& list = at(object, name);
  if (!std::holds_alternative<Value::Array>(list.data)) list.data = Value::Array();
  return std::get<Value::Array>(list.data);
}

// Adds a reference to the component "component", unless the JSON document already defines the
// member "name".
void add(Value& object, std::string_view name, std::string_view component) {
  if (object.find(name) == nullptr) at(object, name) = reference_to(component);
}

std::string_view unauthorized(const api::Route& route) {
  if (api::needs_right(route)) return "responses/LoginNeeded";
  const bool needs_voter =
      route.access == api::Access::known_voter || route.access == api::Access::rater;
  return needs_voter ? "responses/NotLoggedIn" : "responses/BadTicket";
}

// Adds the responses that are possible for all routes, and the responses that depend on this route.
void add_responses(const api::Route& route, Value& responses) {
  if (route.caching != api::Caching::never) add(responses, "304", "responses/NotModified");
  add(responses, "400", "responses/BadRequest");
  if (!api::is_shared(route)) add(responses, "401", unauthorized(route));
  if (api::needs_right(route)) {
    add(responses, "403", "responses/NotAllowed");
  } else if (route.method != http::Method::get) {
    add(responses, "403", "responses/BadOrigin");
  }
  add(responses, "429", "responses/TooMany");
  add(responses, "500", "responses/InternalError");
  add(responses, "503", "responses/Unavailable");
}

void add_success_headers(const api::Route& route, Value& headers) {
  if (route.charge != api::Charge::none && !api::is_shared(route)) {
    add(headers, "RateLimit-Policy", "headers/RateLimitPolicy");
    add(headers, "RateLimit", "headers/RateLimit");
  }
  if (route.caching != api::Caching::never) add(headers, "ETag", "headers/ETag");
  if (api::is_shared(route)) add(headers, "Cache-Status", "headers/CacheStatus");
}

void add_request_id(Value& response) {
  add(at(response, "headers"), "X-Request-Id", "headers/RequestId");
}

// Returns whether the route allows the OpenAPI security requirement "way". An empty object
// represents a request that does not identify the requester. Even routes that do not identify
// requesters reject invalid tickets.
bool takes(const api::Route& route, const Value& way) {
  const auto has = [&](std::string_view scheme) { return way.find(scheme) != nullptr; };
  const bool is_nobody = way == Value{Value::Object()};
  if (api::is_shared(route)) return false;
  if (api::needs_right(route) || route.is_for_monitoring) {
    return is_nobody ? !api::is_for_administrators(route) : !has("voter") && !has("device");
  }
  if (route.access == api::Access::identified) return !has("voter") && !has("device");
  if (route.access == api::Access::anyone) return is_nobody || has("ticket") || has("bearer");
  return !is_nobody || route.access != api::Access::known_voter;
}

void add_security(const api::Route& route, const Value& all, Value& operation) {
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

// Uses the "x-answer" member and the operation's parameters to add schemas and headers to a
// successful response.
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

// Adds the route's parameters that are missing from the JSON document. Replaces the names of
// components with references to these components.
void complete_parameters(const api::Route& route, bool is_json, Value& operation) {
  Value::Array& given = list_at(operation, "parameters");
  if (is_json && !api::is_shared(route)) given.push_back({"Fields"});
  if (route.caching != api::Caching::never) given.push_back({"IfNoneMatch"});
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

// Adds multipart/form-data as the second encoding of a form.
void add_multipart(Value& body) {
  if (body.find("content") == nullptr) return;
  Value& content = at(body, "content");
  const Value* form = content.find("application/x-www-form-urlencoded");
  if (form == nullptr) return;
  Value copy = *form;
  at(content, "multipart/form-data") = std::move(copy);
}

void complete(const api::Route& route, Value& operation) {
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

// Adds a tag to each operation. The first segment of an operation's path determines the operation's
// tag ("x-paths").
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

// Adds the type "object" to all schemas that have properties. In schemas without a "required"
// member, all properties are required.
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

// Adds the schema of an error response. In the JSON document, "x-error" already contains the
// schemas for the error's "code" and "status".
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

// Returns the name of a setting's component, such as "MaxRatingsPerAddressSetting" for
// "max_ratings_per_address". Every setting is a component because some client generators resolve
// only references to components.
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

// Joins the lines into one string. An empty line begins a new paragraph.
std::string text_of(const Value::Array& lines) {
  std::string text;
  for (const Value& value : lines) {
    const auto& line = std::get<std::string>(value.data);
    if (line.empty()) {
      text += "\n\n";
    } else {
      if (!text.empty() && !text.ends_with('\n')) text += ' ';
      text += line;
    }
  }
  return text;
}

// If the "description" member is a list of lines, joins the lines into a string.
void join_lines(Value& value) {
  if (auto* items = std::get_if<Value::Array>(&value.data)) {
    for (Value& item : *items) join_lines(item);
  }
  auto* members = std::get_if<Value::Object>(&value.data);
  if (members == nullptr) return;
  for (auto& [name, member] : *members) {
    const auto* lines = std::get_if<Value::Array>(&member.data);
    if (name == "description" && lines != nullptr) {
      member = {text_of(*lines)};
    } else {
      join_lines(member);
    }
  }
}

// Moves all members of the "from" object to the "into" object.
void merge(Value& into, Value from) {
  for (auto& [name, member] : std::get<Value::Object>(from.data)) {
    assert(into.find(name) == nullptr);
    at(into, name) = std::move(member);
  }
}

Value joined_documents() {
  Value description = read(documents().front());
  for (const std::string_view text : documents().subspan(1)) {
    Value document = read(text);
    merge(at(description, "paths"), take(document, "paths"));
    for (auto& [kind, components] : std::get<Value::Object>(at(document, "components").data)) {
      merge(at(at(description, "components"), kind), std::move(components));
    }
  }
  join_lines(description);
  return description;
}

std::string described(std::span<const api::Route> routes) {
  Value description = joined_documents();
  complete_schemas(description);
  add_tags(description);
  const Value ways = at(description, "security");
  for (const api::Route& route : routes) {
    // In OpenAPI, every path begins with a slash, so the path of the index is "/".
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

Description::Description(std::span<const api::Route> routes) : routes_(routes) {}

const std::string& Description::text() const {
  std::call_once(is_described_, [this] { text_ = described(routes_); });
  return text_;
}

const std::string& Description::arguments_of(const api::Route& route) const {
  std::call_once(has_arguments_, [this] { arguments_ = all_arguments(text(), routes_); });
  return arguments_.at(static_cast<std::size_t>(&route - routes_.data()));
}

}  // namespace openapi
