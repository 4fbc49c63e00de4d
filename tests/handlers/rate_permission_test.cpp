#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "json/codec.h"
#include "support/answers.h"
#include "support/clock.h"
#include "support/service.h"

namespace {

using http::Method;
using support::header;
using support::kNow;
using support::member;
using support::parsed;
using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

class RatePermission : public ::testing::Test {
 protected:
  http::Response ask(Method method, const std::string& path, std::string_view query = {},
                     std::string_view body = {}) {
    http::Request request;
    request.method = method;
    request.query = query;
    request.body = body;
    request.remote_address = "192.0.2.1";
    request.device_token = "a-device-token-of-the-voter";
    request.has_device_token = true;
    request.received_at = now_;
    request.id = "1";
    return service_.serve(request, path);
  }
  static bool is_true(const json::Value& value) { return std::get<bool>(value.data); }
  // Returns the reason stated in "answer" for rejecting votes in "category", or "none" if votes are
  // allowed.
  static std::string refusal_in(std::string_view answer, std::string_view category) {
    const json::Value body = parsed(answer);
    const bool may_rate = is_true(member(member(body, "may_rate"), category));
    const json::Value* refusals = body.find("refusals");
    const json::Value* refusal = refusals == nullptr ? nullptr : refusals->find(category);
    EXPECT_EQ(may_rate, refusal == nullptr) << answer;
    return refusal == nullptr ? "none" : std::get<std::string>(refusal->data);
  }
  std::string refusal(std::string_view category, std::string_view query = "object_type=post",
                      const std::string& path = "/stats/1") {
    return refusal_in(ask(Method::get, path, query).body, category);
  }
  std::string vote() {
    return ask(Method::post, "/rate", {}, R"({"object_id":1,"category":"scale","value":1})").body;
  }

  support::Service service_;
  base::Time now_ = kNow;
};

TEST_F(RatePermission, IsGivenByDefaultAlsoAfterAVote) {
  EXPECT_EQ(refusal("scale"), "none");
  EXPECT_EQ(refusal_in(vote(), "scale"), "none");
  EXPECT_EQ(refusal("scale"), "none");
}

TEST_F(RatePermission, IsRefusedToAllWhileRatingsAreClosed) {
  service_.change({{"enabled", false}, {"require_login", true}});
  EXPECT_EQ(refusal("binary"), "disabled");
  EXPECT_EQ(refusal("binary", "", "/public/stats/1"), "disabled");
}

TEST_F(RatePermission, IsRefusedToVisitorsIfALoginIsRequired) {
  service_.change({{"require_login", true}});
  EXPECT_EQ(refusal("bipolar"), "login_required");
  // The responses to GET /public/stats never contain the reason "login_required", because a cache
  // also sends these responses to visitors who are logged in.
  EXPECT_EQ(refusal("bipolar", "", "/public/stats/1"), "none");
}

TEST_F(RatePermission, FollowsTheEnabledCategories) {
  service_.change({{"enabled_categories", Texts{"binary"}}});
  for (const char* path : {"/stats/1", "/public/stats/1"}) {
    EXPECT_EQ(refusal("binary", "", path), "none");
    EXPECT_EQ(refusal("scale", "", path), "category_disabled");
  }
}

TEST_F(RatePermission, FollowsTheEnabledTypes) {
  service_.change({{"enabled_object_types", Texts{"comment"}}, {"facets", Texts{"taste"}}});
  for (const char* path : {"/stats/1", "/public/stats/1"}) {
    EXPECT_EQ(refusal("scale", "object_type=product", path), "type_disabled");
    EXPECT_EQ(refusal("scale", "object_type=product:taste", path), "type_disabled");
    EXPECT_EQ(refusal("scale", "object_type=comment", path), "none");
    EXPECT_EQ(refusal("scale", "object_type=comment:taste", path), "none");
    // In the CMS, the post with this id may have a type other than "post".
    EXPECT_EQ(refusal("scale", "object_type=post", path), "none");
  }
}

TEST_F(RatePermission, IsRefusedForAPostOnceItsTypeIsKnown) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'post', 'publish')");
  service_.change({{"enabled_object_types", Texts{"page"}}});
  EXPECT_EQ(refusal("scale"), "none");
  vote();
  EXPECT_EQ(refusal("scale"), "type_disabled");
}

TEST_F(RatePermission, EndsWithTheFirstVoteIfRatingsAreFinal) {
  service_.change({{"revote", std::string("never")}});
  EXPECT_EQ(refusal("scale"), "none");
  const std::string before = std::string(header(ask(Method::get, "/stats/1"), "ETag"));
  EXPECT_EQ(refusal_in(vote(), "scale"), "already_rated");
  EXPECT_EQ(refusal("scale"), "already_rated");
  EXPECT_EQ(refusal("binary"), "none");
  EXPECT_NE(header(ask(Method::get, "/stats/1"), "ETag"), before);
  EXPECT_EQ(refusal("scale", "", "/public/stats/1"), "none");
}

TEST_F(RatePermission, ComesBackWhenTheCooldownHasPassed) {
  service_.change(
      {{"revote", std::string("cooldown")}, {"revote_cooldown_hours", model::decimal_of(24)}});
  vote();
  now_ += 23h;
  EXPECT_EQ(refusal("scale"), "cooldown");
  now_ += 1h;
  EXPECT_EQ(refusal("scale"), "none");
}

TEST_F(RatePermission, IsThatOfEachFacet) {
  service_.change({{"revote", std::string("never")}, {"facets", Texts{"taste", "service"}}});
  ask(Method::post, "/rate", {},
      R"({"object_id":1,"category":"scale","value":1,"facets":{"taste":1}})");
  const std::string answer = ask(Method::get, "/stats/1", "facets=taste,service").body;
  const json::Value facets = member(parsed(answer), "facets");
  const auto may_rate = [&](const char* name) {
    return is_true(member(member(member(facets, name), "may_rate"), "scale"));
  };
  EXPECT_FALSE(may_rate("taste"));
  EXPECT_TRUE(may_rate("service"));
}

TEST_F(RatePermission, ChangesTheETagWithTheSettings) {
  const std::string before = std::string(header(ask(Method::get, "/stats/1"), "ETag"));
  service_.change({{"enabled", false}});
  EXPECT_NE(header(ask(Method::get, "/stats/1"), "ETag"), before);
}

}  // namespace
