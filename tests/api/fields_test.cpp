#include "api/fields.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/codec.h"
#include "support/answers.h"

namespace {

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

std::optional<std::uint64_t> object_id(std::string_view json) {
  const api::Parameters parameters = read("", "{\"id\":" + std::string(json) + "}");
  return api::Fields(parameters).object_id("id");
}

TEST(Fields, IntegersMayHaveZerosAsDecimals) {
  for (const char* json : {"5", "\"5\"", "5.0", "\"5.0\"", "5.000"}) {
    EXPECT_EQ(object_id(json), 5U) << json;
  }
  EXPECT_EQ(object_id("9223372036854775807.0"), 9223372036854775807U) << "no float";
  for (const char* json : {"5e0", "\"5e0\"", "5.5", "\"5.\"", "\"+5\"", "\" 5\"", "\"0x5\"", "true",
                           "\"\"", "0.0", "-5.0", "9223372036854775808.0"}) {
    EXPECT_EQ(object_id(json), std::nullopt) << json;
  }
}

TEST(Fields, IdsOfListsAreReadAlike) {
  const api::Parameters parameters = read("ids=1,2.0&ids=3");
  api::Fields fields(parameters);
  EXPECT_EQ(fields.object_ids("ids"), (std::vector<std::uint64_t>{1, 2, 3}));
  const api::Parameters bad = read("ids=1,2e0");
  EXPECT_TRUE(api::Fields(bad).object_ids("ids").empty());
}

api::Parameters multipart(std::string_view body) {
  http::Request request;
  request.method = http::Method::post;
  request.body = body;
  request.content_type = "multipart/form-data; boundary=b";
  return api::Parameters::read(request).value();
}

TEST(Parameters, MultipartFormsAreReadAsOtherForms) {
  const api::Parameters parameters = multipart(
      "--b\r\nContent-Disposition: form-data; name=\"ids[]\"\r\n\r\n15\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"ids[]\"\r\n\r\n13\r\n--b--\r\n");
  EXPECT_EQ(list(parameters), (Items{"15", "13"}));
}

TEST(Body, EncodedOneIsRefusedByTheNameOfTheEncoding) {
  const auto refusal = [](std::string_view encoding, std::string_view body) {
    http::Request request;
    request.content_encoding = encoding;
    request.body = body;
    const auto error = api::refuse_encoded_body(request);
    return error ? error->message.text() : "none";
  };
  EXPECT_EQ(
      refusal("br", "x"),
      "The request body uses the br content encoding. Send the body without a content encoding.");
  EXPECT_EQ(
      refusal("GZIP", "x"),
      "The request body uses the gzip content encoding. Send the body without a content encoding.");
  EXPECT_EQ(
      refusal("", "\x1F\x8B\x08"),
      "The request body uses the gzip content encoding. Send the body without a content encoding.");
  EXPECT_EQ(refusal("identity", "x"), "none");
  EXPECT_EQ(refusal("gzip", ""), "none");
}

TEST(Parameters, ValueThatIsNoListIsHandedOnAsItIs) {
  EXPECT_EQ(read("", R"({"ids":true})").find_list("ids"), parsed("true"));
  EXPECT_EQ(read("").find_list("ids"), std::nullopt);
}

}  // namespace
