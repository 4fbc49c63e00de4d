#include "openapi/description.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/errors.h"
#include "api/routes.h"
#include "base/text.h"
#include "handlers/handlers.h"
#include "json/codec.h"
#include "model/settings.h"
#include "support/answers.h"

namespace {

using api::Route;
using json::Value;
using support::parsed;

const std::string& description() {
  static const openapi::Description of_all_routes(handlers::routes());
  return of_all_routes.text();
}

// Returns the member at the path "names", or null if there is none.
Value at(Value value, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    const Value* member = value.find(name);
    if (member == nullptr) return {};
    value = Value(*member);
  }
  return value;
}

Value::Object members(const Value& value) {
  const auto* object = std::get_if<Value::Object>(&value.data);
  return object == nullptr ? Value::Object() : *object;
}

std::string text(const Value& value) {
  const auto* string = std::get_if<std::string>(&value.data);
  return string == nullptr ? std::string() : *string;
}

// Returns a name such as "get /stats".
std::string name_of_operation(std::string_view method, std::string_view path) {
  return std::string(method).append(" ").append(path);
}

struct Operation {
  std::string name;
  Value value;
};

// In ratingd's API description, path items contain only operations.
std::vector<Operation> operations() {
  std::vector<Operation> operations;
  for (const auto& [path, item] : members(at(parsed(description()), {"paths"}))) {
    for (const auto& [method, operation] : members(item)) {
      operations.push_back({name_of_operation(method, path), operation});
    }
  }
  return operations;
}

// Collects every "$ref" in "value" and its descendants.
void collect_references(const Value& value, std::set<std::string>& references) {
  for (const auto& [name, member] : members(value)) {
    if (name == "$ref") references.insert(text(member));
    collect_references(member, references);
  }
  if (const auto* array = std::get_if<Value::Array>(&value.data)) {
    for (const Value& element : *array) collect_references(element, references);
  }
}

// Splits a reference such as "#/components/schemas/Error" into its names.
std::vector<std::string_view> names_in(std::string_view reference) {
  std::vector<std::string_view> names;
  for (std::size_t slash = reference.find('/'); slash != std::string_view::npos;) {
    reference.remove_prefix(slash + 1);
    slash = reference.find('/');
    names.push_back(reference.substr(0, slash));
  }
  return names;
}

TEST(Description, IsOfVersion31AndOfThisProgram) {
  const Value described = parsed(description());
  EXPECT_EQ(text(at(described, {"openapi"})), "3.1.0");
  EXPECT_EQ(text(at(described, {"info", "version"})), RATINGD_VERSION);
}

TEST(Description, NamesExactlyTheRoutesOfTheService) {
  std::set<std::string> described;
  for (const Operation& operation : operations()) described.insert(operation.name);
  std::set<std::string> served;
  for (const Route& route : handlers::routes()) {
    // In OpenAPI, every path begins with a slash, so an empty path is described as "/".
    const std::string_view path = route.path.empty() ? "/" : route.path;
    served.insert(name_of_operation(base::to_lower(name_of(route.method)), path));
  }
  EXPECT_EQ(described, served);
}

TEST(Description, OperationsHaveIdsOfTheirOwn) {
  std::set<std::string> ids;
  for (const Operation& operation : operations()) {
    const std::string id = text(at(operation.value, {"operationId"}));
    EXPECT_FALSE(id.empty()) << operation.name;
    EXPECT_TRUE(ids.insert(id).second) << operation.name << " shares the id " << id;
  }
}

TEST(Description, OperationsSaySuccess) {
  for (const Operation& operation : operations()) {
    const auto responses = members(at(operation.value, {"responses"}));
    const auto is_success = [](const json::Member& response) {
      return response.first.starts_with('2');
    };
    EXPECT_TRUE(std::ranges::any_of(responses, is_success)) << operation.name;
  }
}

// For each member of "value", returns the name of the component to which the member's "$ref"
// refers. If a member has no "$ref", the component name is empty.
std::map<std::string, std::string> components_of(const Value& value) {
  std::map<std::string, std::string> components;
  for (const auto& [name, member] : members(value)) {
    const std::string reference = text(at(member, {"$ref"}));
    components[name] = reference.substr(reference.rfind('/') + 1);
  }
  return components;
}

TEST(Description, ResponsesFollowFromTheRoute) {
  using Components = std::map<std::string, std::string>;
  const Value paths = at(parsed(description()), {"paths"});
  EXPECT_EQ(components_of(at(paths, {"/me", "get", "responses"})),
            (Components{{"200", ""},
                        {"304", "NotModified"},
                        {"400", "BadRequest"},
                        {"401", "NotLoggedIn"},
                        {"429", "TooMany"},
                        {"500", "InternalError"},
                        {"503", "Unavailable"}}));
  EXPECT_EQ(components_of(at(paths, {"/public/stats", "get", "responses"})),
            (Components{{"200", ""},
                        {"304", "NotModified"},
                        {"400", "BadRequest"},
                        {"429", "TooMany"},
                        {"500", "InternalError"},
                        {"503", "Unavailable"}}));
  const Value settings = at(paths, {"/settings", "patch"});
  EXPECT_EQ(components_of(at(settings, {"responses"})), (Components{{"200", ""},
                                                                    {"400", "BadRequest"},
                                                                    {"401", "LoginNeeded"},
                                                                    {"403", "NotAllowed"},
                                                                    {"429", "TooMany"},
                                                                    {"500", "InternalError"},
                                                                    {"503", "Unavailable"}}));
  // Responses in the description file override the default responses.
  const Value rate = at(paths, {"/rate", "delete", "responses"});
  EXPECT_EQ(components_of(rate).at("403"), "RatingRefused");
  EXPECT_EQ(components_of(rate).at("401"), "BadTicket");
}

TEST(Description, SecurityFollowsFromTheRoute) {
  const Value paths = at(parsed(description()), {"paths"});
  const auto security = [&](std::string_view path, std::string_view method) {
    return at(paths, {path, method, "security"});
  };
  const std::string logins =
      R"({"basic":[]},{"wordpressLogin":[],"wordpressNonce":[]},{"ticket":[]},{"bearer":[]}])";
  EXPECT_EQ(security("/settings", "patch"), parsed("[" + logins));
  EXPECT_EQ(security("/analytics/stats", "get"), parsed("[{}," + logins));
  EXPECT_EQ(security("/health", "get"), parsed("[{}," + logins));
  EXPECT_EQ(security("/me", "delete"), parsed(R"([{"voter":[]},{"device":[]},)" + logins));
  EXPECT_EQ(security("/openapi.json", "get"), parsed(R"([{},{"ticket":[]},{"bearer":[]}])"));
  EXPECT_EQ(security("/public/stats", "get"), parsed("[]"));
  EXPECT_EQ(at(paths, {"/rate", "post"}).find("security"), nullptr);  // because the file says so
}

TEST(Description, HeadersFollowFromTheRoute) {
  using Components = std::map<std::string, std::string>;
  const Value paths = at(parsed(description()), {"paths"});
  const auto headers = [&](std::string_view path, std::string_view method) {
    return components_of(at(paths, {path, method, "responses", "200", "headers"}));
  };
  EXPECT_EQ(headers("/stats", "get"), (Components{{"X-Request-Id", "RequestId"},
                                                  {"RateLimit-Policy", "RateLimitPolicy"},
                                                  {"RateLimit", "RateLimit"},
                                                  {"ETag", "ETag"}}));
  EXPECT_EQ(headers("/public/stats", "get"),
            (Components{
                {"X-Request-Id", "RequestId"}, {"ETag", "ETag"}, {"Cache-Status", "CacheStatus"}}));
  EXPECT_EQ(headers("/settings", "get"), (Components{{"X-Request-Id", "RequestId"}}));
}

TEST(Description, AnswersFollowFromTheParameters) {
  const Value paths = at(parsed(description()), {"paths"});
  const Value csv = at(paths, {"/analytics/trends-by-category", "get", "responses", "200"});
  EXPECT_EQ(at(csv, {"headers", "Content-Disposition"}),
            parsed(R"({"$ref":"#/components/headers/FileName"})"));
  EXPECT_EQ(at(csv, {"content", "text/csv", "schema"}),
            parsed(R"({"$ref":"#/components/schemas/Csv"})"));
  const auto pages = components_of(at(paths, {"/me", "get", "responses", "200", "headers"}));
  EXPECT_EQ(pages.at("X-WP-Total"), "Total");
  EXPECT_EQ(pages.at("X-WP-TotalPages"), "TotalPages");
  EXPECT_EQ(pages.at("Link"), "PageLinks");
  const auto reference = [](const Value& parameter) { return text(at(parameter, {"$ref"})); };
  const Value list = at(paths, {"/analytics/distribution", "get", "parameters"});
  std::vector<std::string> parameters;
  std::ranges::transform(std::get<Value::Array>(list.data), std::back_inserter(parameters),
                         reference);
  EXPECT_EQ(parameters,
            (std::vector<std::string>{
                "#/components/parameters/Period", "#/components/parameters/From",
                "#/components/parameters/To", "#/components/parameters/AnalyticsCategory",
                "#/components/parameters/AnalyticsObjectType", "#/components/parameters/Format",
                "#/components/parameters/Fields", "#/components/parameters/IfNoneMatch"}));
  EXPECT_EQ(at(paths, {"/metrics", "get", "tags"}), parsed(R"(["service"])"));
}

TEST(Description, SchemasRequireAllPropertiesUnlessTheFileNamesOthers) {
  const Value schemas = at(parsed(description()), {"components", "schemas"});
  EXPECT_EQ(at(schemas, {"UserRating", "required"}), parsed(R"(["value","rated_at"])"));
  EXPECT_EQ(at(schemas, {"UserRating", "type"}), parsed(R"("object")"));
  EXPECT_EQ(at(schemas, {"FacetRatings", "required"}), parsed(R"(["stats","may_rate"])"));
  EXPECT_TRUE(at(schemas, {"PreviewRequest", "required"}).is_null());
  EXPECT_EQ(at(schemas, {"StatsAnswer"}),
            parsed(R"({"allOf":[{"$ref":"#/components/schemas/Success"},)"
                   R"({"$ref":"#/components/schemas/ObjectStats"}]})"));
}

TEST(Description, HasNoMarkOfTheFileThatIsNoOpenApi) {
  EXPECT_EQ(description().find("\"x-"), std::string::npos);
}

TEST(Description, SettingsAreThoseOfTheTable) {
  const Value schemas = at(parsed(description()), {"components", "schemas"});
  const Value properties = at(schemas, {"Settings", "properties"});
  EXPECT_EQ(members(properties).size(), model::all_settings().size());
  EXPECT_EQ(at(properties, {"cooldown_seconds"}),
            parsed(R"({"$ref":"#/components/schemas/CooldownSecondsSetting"})"));
  EXPECT_EQ(at(schemas, {"SettingsChange", "properties"}), properties);
  EXPECT_EQ(at(schemas, {"CooldownSecondsSetting"}),
            parsed(R"({"type":"integer","minimum":0,"maximum":3600,"description":"Visitors must )"
                   R"(wait this long before rating again or changing a rating. Default: `0`."})"));
  EXPECT_TRUE(at(schemas, {"DefaultTemplateScaleSetting", "enum"}).is_null());
}

TEST(Description, RulesOfRequestsAreSchemas) {
  const Value schemas = at(parsed(description()), {"components", "schemas"});
  EXPECT_EQ(at(schemas, {"RatingRequest", "allOf"}),
            parsed(R"([{"anyOf":[{"required":["value"]},{"required":["facets"]}]}])"));
  EXPECT_EQ(at(schemas, {"HeldOrder", "oneOf"}),
            parsed(R"([{"required":["ids"]},{"required":["object_id"]}])"));
  for (const std::string_view name : {"SettingsChange", "NetworkSettingsChange"}) {
    EXPECT_EQ(at(schemas, {name, "additionalProperties"}), parsed("false")) << name;
  }
  EXPECT_TRUE(at(schemas, {"Settings", "additionalProperties"}).is_null())
      << "answers may get further members";
}

// OpenAPI cannot express that one parameter requires another parameter, so the descriptions of both
// parameters state the requirement.
TEST(OpenApi, ParametersThatDependOnEachOtherSaySo) {
  const auto contains = [](const Value& parameter, std::string_view sentence) {
    return text(at(parameter, {"description"})).find(sentence) != std::string::npos;
  };
  const Value parameters = at(parsed(description()), {"components", "parameters"});
  EXPECT_TRUE(contains(at(parameters, {"From"}), "Requires `to`. If only one of the two is sent"));
  EXPECT_TRUE(contains(at(parameters, {"To"}), "Requires `from`. If only one of the two is sent"));
  const Value of_export = at(parsed(description()), {"paths", "/data/export", "get", "parameters"});
  std::set<std::string> independent;
  for (const Value& parameter : std::get<Value::Array>(of_export.data)) {
    if (contains(parameter, "not required.")) independent.insert(text(at(parameter, {"name"})));
  }
  EXPECT_EQ(independent, (std::set<std::string>{"from", "to"}));
}

TEST(OpenApi, FormsHaveBothOfTheirEncodings) {
  for (const Operation& operation : operations()) {
    const Value content = at(operation.value, {"requestBody", "content"});
    EXPECT_EQ(at(content, {"multipart/form-data"}),
              at(content, {"application/x-www-form-urlencoded"}))
        << operation.name;
  }
}

TEST(Description, ReferencesLeadSomewhere) {
  const Value described = parsed(description());
  std::set<std::string> references;
  collect_references(described, references);
  EXPECT_TRUE(references.contains("#/components/schemas/Error"));
  for (const std::string& reference : references) {
    EXPECT_FALSE(at(described, names_in(reference)).is_null()) << reference;
  }
}

// Collects the description of each schema that has a default. Searches "value" and the schemas that
// "value" references.
void collect_defaults(const Value& description, const Value& value, std::set<std::string>& visited,
                      std::vector<std::string>& found) {
  for (const auto& [name, member] : members(value)) {
    if (name == "default") found.push_back(text(at(value, {"description"})));
    if (name == "$ref" && visited.insert(text(member)).second) {
      collect_defaults(description, at(description, names_in(text(member))), visited, found);
    }
    if (name != "examples") collect_defaults(description, member, visited, found);
  }
  if (const auto* array = std::get_if<Value::Array>(&value.data)) {
    for (const Value& item : *array) collect_defaults(description, item, visited, found);
  }
}

// Client generators such as openapi-typescript treat a member that has a default as required, even
// in requests.
TEST(Description, BodiesOfRequestsHaveNoDefaults) {
  const Value described = parsed(description());
  std::set<std::string> visited;
  std::vector<std::string> found;
  for (const Operation& operation : operations()) {
    collect_defaults(described, at(operation.value, {"requestBody"}), visited, found);
  }
  EXPECT_TRUE(visited.contains("#/components/schemas/SettingsChange"));
  EXPECT_EQ(found, std::vector<std::string>());
}

TEST(Description, NamesTheBasePathOnceInTheAddressOfTheServer) {
  constexpr std::string_view kBasePath = "/wp-json/ratingd/v1";
  EXPECT_EQ(at(parsed(description()), {"servers"}), parsed(R"([{"url":"/wp-json/ratingd/v1"}])"));
  const std::size_t first = description().find(kBasePath);
  ASSERT_NE(first, std::string_view::npos);
  EXPECT_EQ(description().find(kBasePath, first + 1), std::string_view::npos);
}

TEST(Description, ExamplesOfErrorsAreWhatTheServiceAnswers) {
  const std::map<std::string_view, api::ErrorCode> examples = {
      {"NotLoggedIn", api::ErrorCode::not_logged_in}, {"BadOrigin", api::ErrorCode::bad_origin},
      {"RatingRefused", api::ErrorCode::disabled},    {"InternalError", api::ErrorCode::internal},
      {"TooMany", api::ErrorCode::cooldown},          {"Unavailable", api::ErrorCode::unavailable},
  };
  const Value responses = at(parsed(description()), {"components", "responses"});
  for (const auto& [name, code] : examples) {
    const Value example = at(responses, {name, "content", "application/json", "example"});
    EXPECT_EQ(example, parsed(api::error_response({code}).body)) << name;
  }
}

}  // namespace
