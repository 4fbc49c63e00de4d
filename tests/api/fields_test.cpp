#include "api/fields.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/codec.h"
#include "support/answers.h"

namespace {

using json::Value;
using support::parsed;
using Items = std::vector<std::string>;

api::Parameters read(std::string_view query, std::string_view body = "") {
  http::Request request;
  request.method = http::Method::post;
  request.query = query;
  request.body = body;
  if (!body.starts_with('{')) request.content_type = "application/x-www-form-urlencoded";
  return api::Parameters::read(request).value();
}

Items list(const api::Parameters& parameters, std::string_view name = "ids") {
  const auto value = parameters.find_list(name);
  return value ? json::list_in(*value) : Items();
}

TEST(Parameters, OfANameThatComesTwiceTheLastCounts) {
  const api::Parameters parameters = read("value=1&value=2&value=3");
  ASSERT_NE(parameters.find("value"), nullptr);
  EXPECT_EQ(*parameters.find("value"), parsed(R"("3")"));
}

TEST(Parameters, ListsHaveAllValuesInTheirOrder) {
  EXPECT_EQ(list(read("ids=15&ids=13")), (Items{"15", "13"}));
  EXPECT_EQ(list(read("ids[]=15&ids[]=13")), (Items{"15", "13"}));
  EXPECT_EQ(list(read("ids[0]=15&x=1&ids%5B1%5D=13")), (Items{"15", "13"}));
  EXPECT_EQ(list(read("ids[]=4&ids=3&ids[]=2&ids=1,0")), (Items{"4", "3", "2", "1", "0"}));
  EXPECT_EQ(list(read("ids=15,13")), (Items{"15", "13"}));
  EXPECT_EQ(list(read("x=1")), Items());
}

TEST(Parameters, ListsOfFormsAreReadAlike) {
  EXPECT_EQ(list(read("", "ids=15&ids[]=13&ids=11")), (Items{"15", "13", "11"}));
}

TEST(Parameters, BodyCountsInsteadOfTheQuery) {
  EXPECT_EQ(list(read("ids=1&ids=2", "ids=3&ids=4")), (Items{"3", "4"}));
  EXPECT_EQ(list(read("ids[]=1", "ids[]=3")), Items{"3"});
  EXPECT_EQ(list(read("ids=1&ids=2", R"({"ids":[3,"4"]})")), (Items{"3", "4"}));
  EXPECT_EQ(list(read("ids=1&ids=2", R"({"ids":null})")), (Items{"1", "2"}));
}

TEST(Parameters, ValueThatIsNoListIsHandedOnAsItIs) {
  EXPECT_EQ(read("", R"({"ids":true})").find_list("ids"), parsed("true"));
  EXPECT_EQ(read("").find_list("ids"), std::nullopt);
}

}  // namespace
