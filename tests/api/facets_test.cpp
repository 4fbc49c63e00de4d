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

}  // namespace
