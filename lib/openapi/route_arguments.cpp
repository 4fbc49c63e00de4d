#include "openapi/route_arguments.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "json/codec.h"

namespace openapi {
namespace {

using json::Value;

// The schema keywords that WordPress publishes (rest_get_allowed_schema_keywords() in
// rest-api.php), except for the keywords that describe the members of objects.
constexpr auto kKeywords = std::to_array<std::string_view>({"title",
                                                            "description",
                                                            "default",
                                                            "type",
                                                            "format",
                                                            "enum",
                                                            "items",
                                                            "minimum",
                                                            "maximum",
                                                            "exclusiveMinimum",
                                                            "pattern",
                                                            "minLength",
                                                            "maxLength",
                                                            "minItems",
                                                            "maxItems",
                                                            "anyOf",
                                                            "oneOf",
                                                            "minProperties",
                                                            "multipleOf",
                                                            "uniqueItems",
                                                            "maxProperties",
                                                            "exclusiveMaximum",
                                                            "additionalProperties"});

// Returns the member "name" of "value", or nullptr if the member does not exist or is not of type
// Kind.
template <typename Kind>
const Kind* member(const Value& value, std::string_view name) {
  const Value* found = value.find(name);
  return found == nullptr ? nullptr : std::get_if<Kind>(&found->data);
}

void set(Value::Object& object, const std::string& name, Value value) {
  const auto found = std::ranges::find(object, name, &json::Member::first);
  if (found == object.end()) object.emplace_back(name, std::move(value));
}

// Reads schemas from the OpenAPI description.
class Schemas {
 public:
  explicit Schemas(const Value& description) : description_(description) {}

  // If "value" is a reference, returns the referenced value. Otherwise, returns "value".
  [[nodiscard]] const Value& target(const Value& value) const {
    const auto* reference = member<std::string>(value, "$ref");
    return reference == nullptr ? value : target(at(*reference));
  }

  // Returns the members of "schema" together with the members of all schemas referenced by
  // "schema". If several schemas contain the same member, the member in "schema" itself takes
  // precedence.
  [[nodiscard]] Value::Object whole(const Value& schema) const {
    Value::Object result;
    for (const auto& [name, value] : std::get<Value::Object>(schema.data)) {
      if (name != "$ref" && name != "allOf") set(result, name, value);
    }
    if (const auto* reference = member<std::string>(schema, "$ref")) {
      add(result, whole(at(*reference)));
    }
    if (const auto* parts = member<Value::Array>(schema, "allOf")) {
      for (const Value& part : *parts) add(result, whole(part));
    }
    return result;
  }

  // Converts "schema" to the format of the argument schemas that WordPress publishes.
  [[nodiscard]] Value shown(const Value& schema) const {
    Value::Object result;
    for (auto& [name, value] : whole(schema)) {
      if (name == "const") {
        set(result, "enum", {Value::Array{std::move(value)}});
        continue;
      }
      if (std::ranges::find(kKeywords, name) == kKeywords.end()) continue;
      if (name == "anyOf" || name == "oneOf") {
        for (Value& choice : std::get<Value::Array>(value.data)) choice = shown(choice);
      } else if (std::holds_alternative<Value::Object>(value.data)) {
        value = shown(value);
      }
      set(result, name, std::move(value));
    }
    return {std::move(result)};
  }

 private:
  static void add(Value::Object& object, const Value::Object& further) {
    for (const auto& [name, value] : further) set(object, name, value);
  }

  // Returns the value referenced by a string such as "#/components/schemas/ObjectId".
  [[nodiscard]] const Value& at(std::string_view reference) const {
    base::take_until(reference, '/');
    const Value* value = &description_;
    while (!reference.empty()) value = value->find(base::take_until(reference, '/'));
    return *value;
  }

  const Value& description_;
};

// Collects the arguments for one operation.
class Arguments {
 public:
  explicit Arguments(const Schemas& schemas) : schemas_(schemas) {}

  // Adds a parameter. Skips header parameters, because WordPress does not list headers as
  // arguments.
  void add_parameter(const Value& given) {
    const Value& parameter = schemas_.target(given);
    if (*member<std::string>(parameter, "in") == "header") return;
    Value schema = schemas_.shown(*parameter.find("schema"));
    auto& members = std::get<Value::Object>(schema.data);
    if (const Value* description = parameter.find("description")) {
      std::erase_if(members, [](const json::Member& one) { return one.first == "description"; });
      members.emplace_back("description", *description);
    }
    const auto* required = member<bool>(parameter, "required");
    add(*member<std::string>(parameter, "name"), std::move(schema), required && *required);
  }

  // Adds an argument for each property of the request body. If the body's schema allows
  // alternatives (anyOf), adds the properties of all alternatives as optional arguments.
  void add_body(const Value& schema, bool may_require = true) {
    const Value whole{schemas_.whole(schema)};
    const auto* properties = member<Value::Object>(whole, "properties");
    const auto* required = member<Value::Array>(whole, "required");
    for (const auto& [name, property] : properties ? *properties : Value::Object()) {
      const bool is_required =
          may_require && required && std::ranges::count(*required, Value{name});
      add(name, schemas_.shown(property), is_required);
    }
    if (const auto* choices = member<Value::Array>(whole, "anyOf")) {
      for (const Value& choice : *choices) add_body(choice, false);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    json::Writer(text).value({arguments_});
    return text;
  }

 private:
  void add(const std::string& name, Value schema, bool is_required) {
    std::get<Value::Object>(schema.data).emplace_back("required", Value{is_required});
    set(arguments_, name, std::move(schema));
  }

  const Schemas& schemas_;
  Value::Object arguments_;
};

std::string arguments_in(const Schemas& schemas, const Value& operation) {
  Arguments arguments(schemas);
  if (const auto* parameters = member<Value::Array>(operation, "parameters")) {
    for (const Value& parameter : *parameters) arguments.add_parameter(parameter);
  }
  if (const Value* body = operation.find("requestBody")) {
    const Value* json = schemas.target(*body).find("content")->find("application/json");
    if (json != nullptr) arguments.add_body(*json->find("schema"));
  }
  return arguments.text();
}

}  // namespace

std::vector<std::string> all_arguments(std::string_view description,
                                       std::span<const api::Route> routes) {
  const auto parsed = json::parse(description);
  assert(parsed);
  const Schemas schemas(*parsed);
  std::vector<std::string> arguments;
  arguments.reserve(routes.size());
  for (const api::Route& route : routes) {
    const Value* path = parsed->find("paths")->find(route.path.empty() ? "/" : route.path);
    arguments.push_back(arguments_in(schemas, *path->find(base::to_lower(name_of(route.method)))));
  }
  return arguments;
}

}  // namespace openapi
