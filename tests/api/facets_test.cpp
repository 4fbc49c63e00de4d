#include "model/facets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/codec.h"
#include "support/clock.h"
#include "support/service.h"

// Facets of objects, as clients see them.

namespace {

using http::Method;
using support::kNoon;
using Texts = std::vector<std::string>;

class FacetsOfObjects : public ::testing::Test {
 protected:
  FacetsOfObjects() { service_.change({{"facets", Texts{"taste", "service", "love"}}}); }

  http::Response serve(Method method, const std::string& path, const std::string& query,
                       const std::string& body = "", const std::string& voter = "alice") {
    const std::string token = "a-voter-of-the-tests-of-facets-" + voter;
    http::Request request;
    request.method = method;
    request.query = query;
    request.body = body;
    request.device_token = token;
    request.has_device_token = true;
    request.remote_address = address_;
    request.received_at = now_;
    return service_.serve(request, path);
  }
  std::string get(const std::string& path, const std::string& query = "",
                  const std::string& voter = "alice") {
    const http::Response response = serve(Method::get, path, query, "", voter);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.body;
  }
  http::Response vote(const std::string& fields, const std::string& voter = "alice") {
    return serve(Method::post, "/rate", "", R"({"object_id":1,)" + fields + "}", voter);
  }
  static bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  support::Service service_;
  base::Time now_ = kNoon;
  std::string address_ = "192.0.2.1";
};

TEST_F(FacetsOfObjects, AreNotMeantByAnIdWithoutAType) {
  EXPECT_EQ(vote(R"("object_type":"song:taste","category":"binary","value":1)").status, 200);
  EXPECT_TRUE(contains(get("/stats/1"), R"("object_type":"post")"));
  EXPECT_EQ(vote(R"("object_type":"song","category":"binary","value":1)").status, 200);
  EXPECT_TRUE(contains(get("/stats/1"), R"("object_type":"song")"));
}

TEST_F(FacetsOfObjects, OtherTypesWithAColonAreMeantAsBefore) {
  EXPECT_EQ(vote(R"("object_type":"song:verse","category":"binary","value":1)").status, 200);
  EXPECT_TRUE(contains(get("/stats/1"), R"("object_type":"song:verse")"));
  service_.change({{"facets", Texts{}}});
  EXPECT_TRUE(contains(get("/stats/1"), R"("object_type":"song:verse")"));
}

TEST_F(FacetsOfObjects, AreReadWithTheObject) {
  EXPECT_EQ(vote(R"("object_type":"post","category":"binary","value":1)").status, 200);
  EXPECT_EQ(vote(R"("object_type":"post:taste","category":"scale","value":0.8)").status, 200);
  EXPECT_EQ(vote(R"("object_type":"post:love","category":"binary","value":1)", "bob").status, 200);
  const std::string one = get("/stats/1", "facets=taste,Love,taste");
  const auto parsed = json::parse(one);
  ASSERT_TRUE(parsed) << one;
  const json::Value* facets = parsed->find("facets");
  ASSERT_NE(facets, nullptr);
  EXPECT_EQ(std::get<json::Value::Object>(facets->data).size(), 2U);
  const auto whole = json::parse(get("/stats/1")).value();
  EXPECT_EQ(*parsed->find("stats"), *whole.find("stats"));
  EXPECT_EQ(*parsed->find("user_ratings"), *whole.find("user_ratings"));
  EXPECT_EQ(whole.find("facets"), nullptr);
  for (const char* name : {"taste", "love"}) {
    const auto alone =
        json::parse(get("/stats/1", "object_type=post%3A" + std::string(name))).value();
    const json::Value* facet = facets->find(name);
    ASSERT_NE(facet, nullptr) << name;
    EXPECT_EQ(*facet->find("stats"), *alone.find("stats")) << name;
    EXPECT_EQ(*facet->find("user_ratings"), *alone.find("user_ratings")) << name;
  }
  EXPECT_TRUE(contains(one, R"("user_ratings":{"scale":{"value":0.8,)")) << one;
}

TEST_F(FacetsOfObjects, AreReadWithManyObjects) {
  EXPECT_EQ(vote(R"("object_type":"post:taste","category":"binary","value":1)").status, 200);
  const auto many = json::parse(get("/stats", "object_ids=2,1&facets=taste,love")).value();
  const auto& data = std::get<json::Value::Array>(many.find("data")->data);
  ASSERT_EQ(data.size(), 2U);
  for (const json::Value& item : data) {
    json::Value one =
        json::parse(
            get("/stats/" + std::get<json::Value::Number>(item.find("object_id")->data).text,
                "object_type=post&facets=taste,love"))
            .value();
    auto& members = std::get<json::Value::Object>(one.data);
    members.erase(members.begin());  // "success"
    EXPECT_EQ(item, one);
  }
}

TEST_F(FacetsOfObjects, ArePublicWithoutOwnRatings) {
  EXPECT_EQ(vote(R"("object_type":"post:taste","category":"binary","value":1)").status, 200);
  for (const char* path : {"/public/stats/1?", "/public/stats?object_ids=1&"}) {
    const std::string target = path;
    const std::size_t mark = target.find('?');
    const std::string found = get(target.substr(0, mark), target.substr(mark + 1) + "facets=taste");
    EXPECT_TRUE(contains(found, R"("facets":{"taste":{"stats":{"binary":{"total":1,)")) << found;
    EXPECT_FALSE(contains(found, "user_ratings")) << found;
  }
}

TEST_F(FacetsOfObjects, UnknownOnesAreRefusedByNameOfTheKnown) {
  for (const char* query : {"facets=taste,smell", "facets=", "facets=,", "facets=%3Cscript%3E",
                            "facets=post%3Ataste", "facets[]=taste&facets[]=smell"}) {
    const http::Response response = serve(Method::get, "/stats/1", query);
    EXPECT_EQ(response.status, 400) << query;
    EXPECT_TRUE(contains(response.body, "facets must be of taste, service, love.")) << query;
    EXPECT_FALSE(contains(response.body, "script")) << query;
  }
  service_.change({{"facets", Texts{}}});
  const http::Response response = serve(Method::get, "/stats/1", "facets=taste");
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(contains(response.body, "this site has no facets")) << response.body;
}

TEST_F(FacetsOfObjects, AreAtMostAHundredWithTheObjects) {
  std::string ids = "1";
  for (int id = 2; id <= 25; ++id) ids += "," + std::to_string(id);
  EXPECT_EQ(serve(Method::get, "/stats", "facets=taste,service,love&object_ids=" + ids).status,
            200);
  const http::Response response =
      serve(Method::get, "/stats", "facets=taste,service,love&object_ids=26," + ids);
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(contains(response.body, "must be at most 100 together")) << response.body;
}

}  // namespace
