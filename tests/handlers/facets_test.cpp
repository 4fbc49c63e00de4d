// Tests facets of objects in lib/handlers/votes.cpp and lib/handlers/stats.cpp.

#include "model/facets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/codec.h"
#include "support/clock.h"
#include "support/service.h"

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

// A cached page may contain the name of a facet that the owner has removed.
TEST_F(FacetsOfObjects, UnknownOnesAreLeftOutBesideOthers) {
  EXPECT_EQ(vote(R"("object_type":"post:taste","category":"binary","value":1)").status, 200);
  const std::string known = get("/stats/1", "facets=taste");
  for (const char* query : {"facets=taste,smell", "facets[]=smell&facets[]=taste"}) {
    EXPECT_EQ(get("/stats/1", query), known) << query;
  }
  EXPECT_EQ(get("/stats", "object_ids=1&facets=smell,taste"),
            get("/stats", "object_ids=1&facets=taste"));
}

TEST_F(FacetsOfObjects, UnknownOnesAloneAreRefusedByNameOfTheKnown) {
  for (const char* query : {"facets=smell", "facets=", "facets=,", "facets=taste,%3Cscript%3E",
                            "facets=taste,post%3Ataste", "facets[]=smell&facets[]=sound"}) {
    const http::Response response = serve(Method::get, "/stats/1", query);
    EXPECT_EQ(response.status, 400) << query;
    EXPECT_TRUE(contains(response.body,
                         "facets must contain only names from this list: taste, service, love."))
        << query;
    EXPECT_FALSE(contains(response.body, "script")) << query;
  }
  service_.change({{"facets", Texts{}}});
  const http::Response response = serve(Method::get, "/stats/1", "facets=taste");
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(contains(response.body, "this site has no facets")) << response.body;
}

TEST_F(FacetsOfObjects, NeedATypeThatIsNotTooLong) {
  const auto status = [&](std::size_t size, Method method, const std::string& path,
                          const std::string& query) {
    return serve(method, path, query + "&object_type=" + std::string(size, 'x')).status;
  };
  for (const char* path : {"/stats/1", "/public/stats/1"}) {
    EXPECT_EQ(status(58, Method::get, path, "facets=taste"), 200);
    EXPECT_EQ(status(59, Method::get, path, "facets=taste"), 400);
    EXPECT_EQ(status(64, Method::get, path, "facets=taste"), 400);
  }
  EXPECT_EQ(status(58, Method::get, "/stats", "object_ids=1&facets=taste"), 200);
  EXPECT_EQ(status(59, Method::get, "/stats", "object_ids=1&facets=taste"), 400);
  const std::string withdrawal = "object_id=1&category=binary&facets=taste";
  EXPECT_EQ(status(58, Method::delete_, "/rate", withdrawal), 404);
  EXPECT_EQ(status(59, Method::delete_, "/rate", withdrawal), 400);
}

// If a request for facets contains no object type, the service guesses the type. A facet's type is
// the object type, a colon and the facet's name. The result may exceed the maximum length of a
// type.
TEST_F(FacetsOfObjects, NeedATypeThatIsNotTooLongAlsoIfItIsGuessed) {
  EXPECT_EQ(vote(R"("object_type":")" + std::string(64, 'x') + R"(","category":"binary","value":1)")
                .status,
            200);
  EXPECT_EQ(serve(Method::get, "/stats/1", "facets=taste").status, 400);
  EXPECT_EQ(serve(Method::get, "/stats/1", "").status, 200);
}

// The rule for new voters ignores facets whose object type would exceed the maximum length.
TEST_F(FacetsOfObjects, MayBeRatedBesideOthersThatAreTooLong) {
  EXPECT_EQ(
      vote(R"("object_type":")" + std::string(59, 'x') + R"(:love","category":"binary","value":1)")
          .status,
      200);
}

TEST_F(FacetsOfObjects, AreAtMostAHundredWithTheObjects) {
  std::string ids = "1";
  for (int id = 2; id <= 25; ++id) ids += "," + std::to_string(id);
  EXPECT_EQ(serve(Method::get, "/stats", "facets=taste,service,love&object_ids=" + ids).status,
            200);
  const http::Response response =
      serve(Method::get, "/stats", "facets=taste,service,love&object_ids=26," + ids);
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(contains(response.body, "objects and their facets must not exceed 100"))
      << response.body;
}

// --- Votes on several facets --------------------------------------------------------------------

class FacetsInVotes : public FacetsOfObjects {
 protected:
  std::int64_t votes() {
    return service_.connection().query("SELECT COUNT(*) FROM wp_ratingd_votes").number();
  }
  // Sends a vote that the service must reject. Returns the error message for the field "name".
  std::string refused(const std::string& fields, const std::string& name = "facets") {
    const http::Response response = vote(fields);
    EXPECT_EQ(response.status, 400) << fields << response.body;
    EXPECT_EQ(votes(), 0) << fields;
    const auto body = json::parse(response.body).value();
    const json::Value* params = body.find("data")->find("params");
    const json::Value* sentence = params == nullptr ? nullptr : params->find(name);
    return sentence == nullptr ? response.body : std::get<std::string>(sentence->data);
  }
};

TEST_F(FacetsInVotes, AreOneWithTheObjects) {
  const http::Response response =
      vote(R"("category":"scale","scale":5,"value":4.5,"facets":{"taste":4,"Service":5})");
  ASSERT_EQ(response.status, 200) << response.body;
  const auto body = json::parse(response.body).value();
  EXPECT_EQ(std::get<json::Value::Number>(body.find("value")->data).text, "0.9");
  const json::Value& taste = *body.find("facets")->find("taste");
  EXPECT_EQ(std::get<json::Value::Number>(taste.find("value")->data).text, "0.8");
  EXPECT_TRUE(taste.find("previous_value")->is_null());
  const auto read = json::parse(get("/stats/1", "facets=taste,service")).value();
  for (const char* name : {"taste", "service"}) {
    const json::Value& facet = *body.find("facets")->find(name);
    EXPECT_EQ(*facet.find("stats"), *read.find("facets")->find(name)->find("stats"));
    EXPECT_EQ(*facet.find("user_ratings"), *read.find("facets")->find(name)->find("user_ratings"));
  }
  EXPECT_EQ(*body.find("stats"), *read.find("stats"));
  EXPECT_EQ(votes(), 3);
}

TEST_F(FacetsInVotes, LeaveTheObjectAloneWithoutAValue) {
  ASSERT_EQ(vote(R"("category":"binary","value":1)").status, 200);
  const http::Response response = vote(R"("category":"binary","facets":{"love":1})");
  ASSERT_EQ(response.status, 200);
  EXPECT_TRUE(contains(response.body, R"("value":null,"previous_value":null,"stats":{"binary":{)"
                                      R"("total":1,)"))
      << response.body;
  EXPECT_TRUE(contains(response.body, R"("facets":{"love":{"value":1,"previous_value":null,)"));
  EXPECT_EQ(votes(), 2);
}

TEST_F(FacetsInVotes, NullTakesARatingBack) {
  ASSERT_EQ(vote(R"("category":"binary","facets":{"love":1,"taste":1})").status, 200);
  const http::Response response = vote(R"("category":"binary","facets":{"love":null,"taste":0})");
  ASSERT_EQ(response.status, 200);
  EXPECT_TRUE(contains(response.body, R"("love":{"value":null,"previous_value":1,)"));
  EXPECT_EQ(votes(), 1);
}

TEST_F(FacetsInVotes, AreTakenBackTogether) {
  ASSERT_EQ(vote(R"("category":"binary","value":1,"facets":{"love":1,"taste":1})").status, 200);
  const std::string query = "object_id=1&category=binary&facets=love,taste";
  const http::Response response = serve(Method::delete_, "/rate", query);
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_TRUE(contains(response.body, R"("love":{"value":null,"previous_value":1,)"));
  EXPECT_EQ(votes(), 1) << "the object's own stays";
  EXPECT_EQ(serve(Method::delete_, "/rate", query).status, 404);
  EXPECT_EQ(serve(Method::delete_, "/rate", query + ",smell").status, 404);
  EXPECT_EQ(serve(Method::delete_, "/rate", "object_id=1&category=binary&facets=smell").status,
            400);
  EXPECT_EQ(votes(), 1) << "the object's own stays";
}

TEST_F(FacetsInVotes, UnknownOnesAreLeftOutBesideOthers) {
  const http::Response response =
      vote(R"("category":"binary","facets":{"smell":null,"love":1,"sound":7})");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_TRUE(contains(response.body, R"("facets":{"love":{"value":1,)")) << response.body;
  EXPECT_FALSE(contains(response.body, "smell")) << response.body;
  EXPECT_EQ(votes(), 1);
}

// A vote for a reaction that the site owner has removed must not withdraw the voter's earlier
// reaction. Cached pages may still offer removed reactions.
TEST_F(FacetsInVotes, AnUnknownChoiceTakesNothingBack) {
  ASSERT_EQ(vote(R"("category":"binary","facets":{"love":1})").status, 200);
  const http::Response response = vote(R"("category":"binary","facets":{"love":null,"smell":1})");
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(contains(response.body,
                       "facets must contain only names from this list: taste, service, love."))
      << response.body;
  EXPECT_EQ(votes(), 1);
}

TEST_F(FacetsInVotes, UnknownOnesAloneAreRefused) {
  const std::string known = "facets must contain only names from this list: taste, service, love.";
  EXPECT_EQ(refused(R"("category":"binary","value":1,"facets":{"smell":1})"), known);
  EXPECT_EQ(refused(R"("category":"binary","facets":{"taste":1,"<script>alert(1)</script>":1})"),
            known);
  EXPECT_EQ(refused(R"("category":"binary","facets":{"taste":1,"post:taste":1})"), known);
  EXPECT_EQ(refused(R"("category":"binary","facets":{"taste":1,"Taste":1})"),
            "The “facets” field contains taste twice.");
  std::string many = R"("f0":1)";
  for (int i = 1; i < 64; ++i) many += R"(,"f)" + std::to_string(i) + R"(":1)";
  EXPECT_EQ(refused(R"("category":"binary","facets":{)" + many + "}"), known);
  service_.change({{"facets", Texts{}}});
  EXPECT_EQ(refused(R"("category":"binary","facets":{"taste":1})"),
            "facets is not accepted, because this site has no facets.");
}

TEST_F(FacetsInVotes, DuplicatesAreNoJson) {
  EXPECT_TRUE(contains(refused(R"("category":"binary","facets":{"taste":1,"taste":0})"),
                       "rest_invalid_json"));
}

TEST_F(FacetsInVotes, ValuesAreThoseOfTheOneCategory) {
  EXPECT_EQ(refused(R"("category":"binary","facets":{"taste":1,"love":0.5})"),
            "love: The value must be 0 or 1 for the “binary” category.");
  EXPECT_EQ(refused(R"("category":"scale","scale":5,"facets":{"taste":6})"),
            "taste: The value must be from 0 to the maximum in the “scale” field (5).");
  EXPECT_EQ(refused(R"("category":"binary","facets":{"taste":{"category":"scale","value":1}})"),
            "taste: value must be a number.");
  EXPECT_EQ(refused(R"("category":"binary","facets":{"taste":true})"),
            "taste: value must be a number.");
  for (const char* facets : {"[1]", "{}", "1", R"("taste")"}) {
    EXPECT_TRUE(
        contains(refused(R"("category":"binary","value":1,"facets":)" + std::string(facets)),
                 "The “facets” field must be an object in a JSON body."))
        << facets;
  }
  EXPECT_TRUE(contains(refused(R"("category":"stars","facets":{"taste":1})", "category"),
                       "category must be one of"));
  EXPECT_TRUE(contains(refused(R"("facets":{"taste":1})"), "Missing parameter(s): category"));
  EXPECT_TRUE(contains(refused(R"("category":"binary")"), "Missing parameter(s): value"));
}

TEST_F(FacetsInVotes, WithdrawnFacetsMustBeAList) {
  const http::Response response =
      serve(Method::delete_, "/rate", "",
            R"({"object_id":1,"category":"binary","facets":{"taste":null}})");
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(
      contains(response.body, "facets must be a list of these names: taste, service, love."))
      << response.body;
}

TEST_F(FacetsInVotes, HaveNoFacetsOfTheirOwn) {
  EXPECT_EQ(refused(R"("object_type":"post:taste","category":"binary","facets":{"love":1})"),
            "The “facets” field is not allowed if the object itself is a facet.");
  EXPECT_TRUE(contains(refused(R"("object_type":")" + std::string(62, 'x') +
                               R"(","category":"binary","facets":{"love":1})"),
                       "The object type of each facet"));
}

TEST_F(FacetsInVotes, OfATypeThatIsNotAllowedAreRefused) {
  service_.change({{"enabled_object_types", Texts{"page"}}});
  EXPECT_EQ(refused(R"("category":"binary","facets":{"love":1})", "object_type"),
            "object_type must be page.");
  EXPECT_EQ(vote(R"("object_type":"page","category":"binary","facets":{"love":1})").status, 200);
}

TEST_F(FacetsInVotes, CountOnceForTheLimitsOfAVoter) {
  service_.change({{"max_ratings_per_voter_per_day", model::decimal_of(2)}});
  EXPECT_EQ(vote(R"("category":"binary","value":1,"facets":{"taste":1,"love":1})").status, 200);
  EXPECT_EQ(vote(R"("category":"binary","facets":{"service":1})").status, 200);
  EXPECT_EQ(vote(R"("category":"scale","facets":{"service":1})").status, 429);
}

// If a voter clicks several reactions in a row, the voter counts only once toward the limit on new
// voters from a network.
TEST_F(FacetsInVotes, OfOneVoterAreOfOneNewVoter) {
  service_.change({{"max_new_voters_per_address_per_object", model::decimal_of(2)}});
  const auto react = [&](const std::string& facet, const std::string& voter) {
    return vote(R"("object_type":"post:)" + facet + R"(","category":"binary","value":1)", voter)
        .status;
  };
  for (const char* voter : {"alice", "bob"}) {
    for (const char* facet : {"taste", "service", "love"}) {
      EXPECT_EQ(react(facet, voter), 200) << voter << facet;
    }
    EXPECT_EQ(vote(R"("category":"binary","value":1)", voter).status, 200) << voter;
  }
  EXPECT_EQ(react("taste", "carol"), 429);
  EXPECT_EQ(vote(R"("category":"binary","facets":{"taste":1})", "carol").status, 429);
}

TEST_F(FacetsInVotes, AreNotCountedIfTheyAreRefused) {
  service_.change({{"revote", std::string("never")}});
  EXPECT_EQ(vote(R"("category":"binary","facets":{"taste":1})").status, 200);
  EXPECT_EQ(vote(R"("category":"binary","value":1,"facets":{"taste":0,"love":1})").status, 403);
  EXPECT_EQ(votes(), 1);
  EXPECT_EQ(vote(R"("category":"binary","value":1,"facets":{"taste":1,"love":1})").status, 200);
  EXPECT_EQ(votes(), 3);
}

TEST_F(FacetsInVotes, MayFollowEachOtherIfNobodyMayRateAgain) {
  service_.change({{"revote", std::string("never")}});
  EXPECT_EQ(vote(R"("category":"scale","value":1,"facets":{"taste":1})").status, 200);
  EXPECT_EQ(vote(R"("category":"scale","value":0.5,"facets":{"service":0})").status, 200);
  EXPECT_EQ(vote(R"("category":"scale","value":0.7,"facets":{"service":0})").status, 403);
  EXPECT_EQ(vote(R"("category":"scale","value":0.7)").status, 403);
}

}  // namespace
