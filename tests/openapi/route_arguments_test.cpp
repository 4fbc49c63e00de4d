#include "openapi/route_arguments.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "handlers/handlers.h"
#include "openapi/description.h"
#include "support/answers.h"

namespace {

using http::Method;
using json::Value;
using support::member;
using support::parsed;

const std::string& arguments_of(const api::Route& route) {
  static const openapi::Description description(handlers::routes());
  return description.arguments_of(route);
}

TEST(RouteArguments, AreCompleteSchemasOfEveryRoute) {
  for (const api::Route& route : handlers::routes()) {
    const std::string& text = arguments_of(route);
    EXPECT_EQ(text.find("$ref"), std::string::npos) << route.path;
    const Value arguments = parsed(text);
    for (const auto& [name, argument] : std::get<Value::Object>(arguments.data)) {
      EXPECT_NE(argument.find("required"), nullptr) << route.path << ' ' << name;
      const bool has_type =
          argument.find("type") || argument.find("anyOf") || argument.find("enum");
      EXPECT_TRUE(has_type) << route.path << ' ' << name;
    }
  }
}

TEST(RouteArguments, HaveTheMembersOfTheBody) {
  const Value rate =
      parsed(arguments_of(*api::find_route(handlers::routes(), "/rate").with(Method::post)));
  EXPECT_EQ(member(member(rate, "category"), "enum"), parsed(R"(["binary","bipolar","scale"])"));
  EXPECT_EQ(member(member(rate, "category"), "required"), parsed("true"));
  EXPECT_EQ(member(member(rate, "value"), "required"), parsed("false"));
  const Value me =
      parsed(arguments_of(*api::find_route(handlers::routes(), "/me").with(Method::delete_)));
  EXPECT_EQ(std::get<Value::Object>(me.data).size(), 1U);
  EXPECT_EQ(member(member(me, "_fields"), "type"), parsed(R"("array")"));
}

}  // namespace
