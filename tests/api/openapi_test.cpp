#include "api/openapi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/errors.h"
#include "api/routes.h"
#include "base/bytes.h"
#include "json/codec.h"
#include "support/answers.h"

namespace api {
namespace {

using json::Value;
using support::parsed;

// The value at "names", one inside the other; null if there is none.
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

// "get /stats"
std::string name_of_operation(std::string_view method, std::string_view path) {
  return std::string(method).append(" ").append(path);
}

struct Operation {
  std::string name;
  Value value;
};

// Path items hold operations and nothing else here.
std::vector<Operation> operations() {
  std::vector<Operation> operations;
  for (const auto& [path, item] : members(at(parsed(openapi_text()), {"paths"}))) {
    for (const auto& [method, operation] : members(item)) {
      operations.push_back({name_of_operation(method, path), operation});
    }
  }
  return operations;
}

// Every "$ref" in "value" and below.
void collect_references(const Value& value, std::set<std::string>& references) {
  for (const auto& [name, member] : members(value)) {
    if (name == "$ref") references.insert(text(member));
    collect_references(member, references);
  }
  if (const auto* array = std::get_if<Value::Array>(&value.data)) {
    for (const Value& element : *array) collect_references(element, references);
  }
}

// "#/components/schemas/Error" as the names that lead there.
std::vector<std::string_view> names_in(std::string_view reference) {
  std::vector<std::string_view> names;
  for (std::size_t slash = reference.find('/'); slash != std::string_view::npos;) {
    reference.remove_prefix(slash + 1);
    slash = reference.find('/');
    names.push_back(reference.substr(0, slash));
  }
  return names;
}

TEST(OpenApi, IsOfVersion31AndOfThisProgram) {
  const Value description = parsed(openapi_text());
  EXPECT_EQ(text(at(description, {"openapi"})), "3.1.0");
  EXPECT_EQ(text(at(description, {"info", "version"})), RATINGD_VERSION);
}

TEST(OpenApi, NamesExactlyTheRoutesOfTheService) {
  std::set<std::string> described;
  for (const Operation& operation : operations()) described.insert(operation.name);
  std::set<std::string> served;
  for (const Route& route : routes()) {
    // A path of OpenAPI begins with a slash, also the one of the index.
    const std::string_view path = route.path.empty() ? "/" : route.path;
    served.insert(name_of_operation(base::to_lower(name_of(route.method)), path));
  }
  EXPECT_EQ(described, served);
}

TEST(OpenApi, OperationsHaveIdsOfTheirOwn) {
  std::set<std::string> ids;
  for (const Operation& operation : operations()) {
    const std::string id = text(at(operation.value, {"operationId"}));
    EXPECT_FALSE(id.empty()) << operation.name;
    EXPECT_TRUE(ids.insert(id).second) << operation.name << " shares the id " << id;
  }
}

TEST(OpenApi, OperationsSaySuccessAndFailure) {
  for (const Operation& operation : operations()) {
    const auto responses = members(at(operation.value, {"responses"}));
    const auto has = [&](std::string_view status) {
      return std::any_of(responses.begin(), responses.end(), [&](const json::Member& response) {
        return response.first.starts_with(status);
      });
    };
    EXPECT_TRUE(has("2")) << operation.name;
    // What any request can meet: bad parameters, a fault, a database that is away.
    for (const std::string_view status : {"400", "500", "503"}) {
      EXPECT_TRUE(has(status)) << operation.name << ' ' << status;
    }
  }
}

TEST(OpenApi, OperationsSayWhoIsRefused) {
  std::map<std::string, Value> described;
  for (const Operation& operation : operations()) described[operation.name] = operation.value;
  for (const Route& route : routes()) {
    const std::string_view path = route.path.empty() ? "/" : route.path;
    const std::string name = name_of_operation(base::to_lower(name_of(route.method)), path);
    const auto has = [&](std::string_view status) {
      return !at(described[name], {"responses", status}).is_null();
    };
    const bool is_protected = is_for_administrators(route) || route.access == Access::analytics ||
                              route.access == Access::all_persons ||
                              route.access == Access::one_person;
    // Any route but shared ones refuses a ticket that is not valid.
    EXPECT_EQ(has("401"), !is_shared(route)) << name;
    // Foreign pages may change nothing.
    EXPECT_TRUE(has("403") || (!is_protected && route.method == http::Method::get)) << name;
    // Requests of a network, or logins that fail; of those who watch, by nginx alone.
    EXPECT_EQ(has("429"), is_protected || route.charge != Charge::none || route.is_for_monitoring)
        << name;
  }
}

TEST(OpenApi, ReferencesLeadSomewhere) {
  const Value description = parsed(openapi_text());
  std::set<std::string> references;
  collect_references(description, references);
  EXPECT_TRUE(references.contains("#/components/schemas/Error"));
  for (const std::string& reference : references) {
    EXPECT_FALSE(at(description, names_in(reference)).is_null()) << reference;
  }
}

// The schemas that "value" leads to by references, and its own members; "default" among them.
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

// Generators of clients, as openapi-typescript, take what has a default for always there, and so
// require it of whoever sends it.
TEST(OpenApi, BodiesOfRequestsHaveNoDefaults) {
  const Value description = parsed(openapi_text());
  std::set<std::string> visited;
  std::vector<std::string> found;
  for (const Operation& operation : operations()) {
    collect_defaults(description, at(operation.value, {"requestBody"}), visited, found);
  }
  EXPECT_TRUE(visited.contains("#/components/schemas/Settings"));
  EXPECT_EQ(found, std::vector<std::string>());
}

TEST(OpenApi, NamesTheBasePathOnceInTheAddressOfTheServer) {
  constexpr std::string_view kBasePath = "/wp-json/ratingd/v1";
  EXPECT_EQ(at(parsed(openapi_text()), {"servers"}), parsed(R"([{"url":"/wp-json/ratingd/v1"}])"));
  const std::size_t first = openapi_text().find(kBasePath);
  ASSERT_NE(first, std::string_view::npos);
  EXPECT_EQ(openapi_text().find(kBasePath, first + 1), std::string_view::npos);
}

TEST(OpenApi, ExamplesOfErrorsAreWhatTheServiceAnswers) {
  const std::map<std::string_view, ErrorCode> examples = {
      {"NotLoggedIn", ErrorCode::not_logged_in}, {"BadOrigin", ErrorCode::bad_origin},
      {"RatingRefused", ErrorCode::disabled},    {"InternalError", ErrorCode::internal},
      {"TooMany", ErrorCode::cooldown},          {"Unavailable", ErrorCode::unavailable},
  };
  const Value responses = at(parsed(openapi_text()), {"components", "responses"});
  for (const auto& [name, code] : examples) {
    const Value example = at(responses, {name, "content", "application/json", "example"});
    EXPECT_EQ(example, parsed(error_response({code}).body)) << name;
  }
}

}  // namespace
}  // namespace api
