// Tests votes from clients that are recognized only by their network and user agent, because they
// send no cookie, device token, ticket, login or browser headers (lib/identity/requester.h).

#include <gtest/gtest.h>

#include "identity/requester.h"
#include "store/named_values.h"
#include "store/site.h"
#include "support/clock.h"
#include "support/service.h"
#include "support/voter_cookie.h"

namespace {

using http::Method;
using support::kNoon;
using namespace std::chrono_literals;

struct ClientRequest {
  std::string body = {};
  std::string query = {};
  std::string address = "192.0.2.1";
  std::string agent = "curl/8";
  std::string fetch_site = {};
  std::string cookie = {};
  std::string device_token = {};
  std::string id = "a request";
  base::Time at = kNoon;
};

class NetworkVoters : public ::testing::Test {
 protected:
  http::Response ask(Method method, const std::string& path, const ClientRequest& sent) {
    http::Request request;
    request.method = method;
    request.body = sent.body;
    request.query = sent.query;
    request.remote_address = sent.address;
    request.user_agent = sent.agent;
    request.sec_fetch_site = sent.fetch_site;
    request.cookie = sent.cookie;
    request.device_token = sent.device_token;
    request.has_device_token = !sent.device_token.empty();
    request.id = sent.id;
    request.received_at = sent.at;
    return service_.serve(request, path);
  }
  http::Response vote(const std::string& fields, ClientRequest sent = {}) {
    sent.body = "{" + fields + "}";
    return ask(Method::post, "/rate", sent);
  }
  http::Response withdraw(const std::string& query, ClientRequest sent = {}) {
    sent.query = query;
    return ask(Method::delete_, "/rate", sent);
  }
  static std::string cookie_in(const http::Response& response) {
    for (const http::Header& header : response.headers) {
      if (header.name == "Set-Cookie") return header.value.substr(0, header.value.find(';'));
    }
    return "none";
  }
  static bool has(const http::Response& response, std::string_view part) {
    return response.body.find(part) != std::string::npos;
  }
  std::int64_t count(const std::string& from) {
    return service_.connection().query("SELECT COUNT(*) FROM " + from).number();
  }
  void replace_salt() {
    store::remove_value(service_.connection(), store::kNetworkSalt);
    service_.change({});
  }

  support::Service service_;
};

constexpr const char* kLikeOf77 = R"("object_id":77,"category":"binary","value":1)";
constexpr const char* kDislikeOf77 = R"("object_id":77,"category":"binary","value":0)";

TEST_F(NetworkVoters, VoteInSeveralCategoriesAndChangeTheirVote) {
  const http::Response first = vote(kLikeOf77);
  EXPECT_EQ(first.status, 200);
  EXPECT_TRUE(has(first, R"("identified_by":"network","value":1,"previous_value":null)"))
      << first.body;
  EXPECT_EQ(vote(R"("object_id":77,"category":"scale","value":0.5)").status, 200);
  const http::Response changed = vote(kDislikeOf77);
  EXPECT_EQ(changed.status, 200);
  EXPECT_TRUE(has(changed, R"("value":0,"previous_value":1)")) << changed.body;
  EXPECT_EQ(count("wp_ratingd_votes"), 2);
}

TEST_F(NetworkVoters, WithdrawTheirVote) {
  vote(kLikeOf77);
  const http::Response gone = withdraw("object_id=77&category=binary");
  EXPECT_EQ(gone.status, 200);
  EXPECT_TRUE(has(gone, R"("identified_by":"network","value":null,"previous_value":1)"))
      << gone.body;
  EXPECT_EQ(count("wp_ratingd_votes"), 0);
  EXPECT_EQ(withdraw("object_id=77&category=binary").status, 404);
}

TEST_F(NetworkVoters, OfOneObjectAndItsFacetsAreOne) {
  service_.change({{"facets", std::vector<std::string>{"taste"}}});
  vote(kLikeOf77);
  vote(R"("object_id":77,"object_type":"post:taste","category":"binary","value":1)");
  vote(R"("object_id":77,"category":"binary","facets":{"taste":0})");
  EXPECT_EQ(count("wp_ratingd_votes"), 2);
  EXPECT_EQ(count("wp_ratingd_voters"), 1);
  EXPECT_EQ(withdraw("object_id=77&object_type=post:taste&category=binary").status, 200);
}

TEST_F(NetworkVoters, OfOtherObjectsNetworksAndUserAgentsAreOthers) {
  vote(kLikeOf77);
  vote(R"("object_id":78,"category":"binary","value":1)");
  vote(R"("object_id":77,"object_type":"page","category":"binary","value":1)");
  vote(kLikeOf77, {.address = "192.0.2.2"});
  vote(kLikeOf77, {.agent = "wget"});
  EXPECT_EQ(count("wp_ratingd_voters"), 5);
}

TEST_F(NetworkVoters, GetNoCookie) {
  EXPECT_EQ(cookie_in(vote(kLikeOf77)), "none");
  const std::string forged = "wordpress_test_cookie=1; " + support::voter_cookie("forged");
  EXPECT_EQ(cookie_in(vote(kLikeOf77, {.cookie = forged})), "none");
  service_.connection().execute("START TRANSACTION");
  static_cast<void>(
      service_.connection().query("SELECT * FROM wp_ratingd_rollup_state FOR UPDATE"));
  const http::Response refused = vote(kDislikeOf77);
  service_.connection().execute("ROLLBACK");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(cookie_in(refused), "none");
}

TEST_F(NetworkVoters, AreNotRecognizedByReads) {
  vote(kLikeOf77);
  EXPECT_TRUE(has(ask(Method::get, "/stats/77", {}), R"("user_ratings":{})"));
  EXPECT_EQ(ask(Method::get, "/me", {}).status, 401);
  EXPECT_EQ(ask(Method::delete_, "/me", {}).status, 401);
}

TEST_F(NetworkVoters, AreNewVotersWithAnotherSalt) {
  vote(kLikeOf77);
  replace_salt();
  EXPECT_EQ(withdraw("object_id=77&category=binary").status, 404);
  EXPECT_TRUE(has(vote(kLikeOf77), R"("previous_value":null)"));
  EXPECT_EQ(count("wp_ratingd_votes"), 2);
}

TEST_F(NetworkVoters, WithoutAnAddressAreNewAndGetACookie) {
  const http::Response first = vote(kLikeOf77, {.address = "", .id = "request 1"});
  EXPECT_TRUE(has(first, R"("identified_by":"new")")) << first.body;
  EXPECT_NE(cookie_in(first), "none");
  vote(kLikeOf77, {.address = "unix:", .id = "request 2"});
  EXPECT_EQ(count("wp_ratingd_votes"), 2);
}

TEST_F(NetworkVoters, NeitherGiveNorKeepAReason) {
  service_.change({{"low_vote_reasons", true}});
  const http::Response low = vote(kDislikeOf77);
  EXPECT_EQ(low.status, 200);
  EXPECT_FALSE(has(low, "reason_invited"));
  const http::Response refused =
      vote(R"("object_id":77,"category":"binary","value":0,"reason":"rude")");
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(has(refused, "The “reason” field is accepted only from a voter")) << refused.body;
  EXPECT_EQ(count("wp_ratingd_reasons"), 0);
}

TEST_F(NetworkVoters, ThatIdentifyThemselvesAreVotersOfTheirOwn) {
  vote(kLikeOf77);
  const std::string token(22, 't');
  const http::Response device = vote(kLikeOf77, {.device_token = token});
  EXPECT_TRUE(has(device, R"("identified_by":"device")")) << device.body;
  const http::Response browser = vote(kLikeOf77, {.fetch_site = "same-origin"});
  EXPECT_TRUE(has(browser, R"("identified_by":"new")")) << browser.body;
  const http::Response again = vote(kLikeOf77, {.cookie = cookie_in(browser)});
  EXPECT_TRUE(has(again, R"("identified_by":"cookie")")) << again.body;
  EXPECT_EQ(count("wp_ratingd_votes"), 3);
}

TEST_F(NetworkVoters, FollowTheRulesForChanges) {
  service_.change({{"revote", "never"}});
  EXPECT_EQ(vote(kLikeOf77).status, 200);
  EXPECT_EQ(vote(kLikeOf77).status, 200);
  EXPECT_TRUE(has(vote(kDislikeOf77), "ratingd_already_rated"));
  EXPECT_EQ(withdraw("object_id=77&category=binary").status, 403);
}

TEST_F(NetworkVoters, ThatChangeManyVotesAreReported) {
  const runtime::MetricsTable& table = service_.app().core.metrics.table();
  for (int i = 0; i < 101; ++i) vote(i % 2 == 0 ? kLikeOf77 : kDislikeOf77);
  EXPECT_EQ(service_.total(runtime::Count::network_vote_changed), 100U);
  EXPECT_EQ(runtime::last_network_changes(table), base::Time());
  vote(kDislikeOf77);
  EXPECT_EQ(runtime::last_network_changes(table), std::chrono::floor<std::chrono::minutes>(kNoon));
}

TEST_F(NetworkVoters, ChangedFacetsAreChanges) {
  service_.change({{"facets", std::vector<std::string>{"taste", "service"}}});
  const auto rate = [&](const std::string& facets) {
    EXPECT_EQ(vote(R"("object_id":77,"category":"binary","facets":)" + facets).status, 200);
    return service_.total(runtime::Count::network_vote_changed);
  };
  EXPECT_EQ(rate(R"({"taste":1})"), 0U);
  EXPECT_EQ(rate(R"({"taste":1,"service":1})"), 0U);
  EXPECT_EQ(rate(R"({"taste":0})"), 1U);
}

TEST_F(NetworkVoters, OfThirtyBrowsersBehindOneAddressAreThirty) {
  for (int i = 0; i < 30; ++i) {
    const http::Response response =
        vote(kLikeOf77, {.agent = "Firefox", .fetch_site = "same-origin", .id = std::to_string(i)});
    EXPECT_EQ(response.status, 200) << i;
    EXPECT_NE(cookie_in(response), "none") << i;
  }
  EXPECT_EQ(count("wp_ratingd_votes"), 30);
}

}  // namespace
