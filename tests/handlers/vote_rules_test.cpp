#include "handlers/vote_rules.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "handlers/handlers.h"
#include "json/codec.h"
#include "support/clock.h"
#include "support/service.h"

namespace {

using http::Method;
using support::kNoon;
using Texts = std::vector<std::string>;
using namespace std::chrono_literals;

// The parts of a response that explain why a vote was rejected.
struct Told {
  int status = 0;
  std::string code;
  std::string message;
  std::string retry_after;

  bool operator==(const Told&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const Told& told) {
  return stream << told.status << ' ' << told.code << " '" << told.message << "' "
                << told.retry_after;
}

const Told kStored{200, "", "", ""};

class VoteRules : public ::testing::Test {
 protected:
  // Returns a device token that depends on the voter's name and address.
  static std::string token_of(const std::string& voter, const std::string& address) {
    return "voter-of-the-rules-tests-" + base::to_hex(voter + address);
  }
  // Returns the response to a vote by "voter" from "address", in a browser without cookies.
  Told vote(const std::string& voter, const std::string& address = "192.0.2.1", int object_id = 1,
            int value = 1, base::Time at = kNoon) {
    const std::string body = R"({"object_id":)" + std::to_string(object_id) +
                             R"(,"category":"binary","value":)" + std::to_string(value) + "}";
    const std::string token = token_of(voter, address);
    http::Request request;
    request.method = Method::post;
    request.body = body;
    request.user_agent = voter;
    request.device_token = token;
    request.has_device_token = true;
    request.remote_address = address;
    request.received_at = at;
    return told(service_.serve(request, "/rate"));
  }
  Told take_back(const std::string& voter) {
    const std::string token = token_of(voter, "192.0.2.1");
    http::Request request;
    request.method = Method::delete_;
    request.query = "object_id=1&category=binary";
    request.device_token = token;
    request.has_device_token = true;
    request.received_at = kNoon;
    return told(service_.serve(request, "/rate"));
  }
  // Returns the response to a vote by a program without credentials.
  Told vote_without_credentials(std::string_view user_agent) {
    http::Request request;
    request.method = Method::post;
    request.body = R"({"object_id":1,"category":"binary","value":1})";
    request.remote_address = "192.0.2.1";
    request.user_agent = user_agent;
    request.received_at = kNoon;
    return told(service_.serve(request, "/rate"));
  }
  Told told(const http::Response& response) {
    Told told{response.status, "", "", ""};
    const auto body = json::parse(response.body);
    const auto text = [&](std::string_view name) {
      const json::Value* member = body ? body->find(name) : nullptr;
      const auto* string = member == nullptr ? nullptr : std::get_if<std::string>(&member->data);
      return string == nullptr ? std::string() : *string;
    };
    told.code = text("code");
    told.message = text("message");
    body_ = response.body;
    for (const http::Header& header : response.headers) {
      if (header.name == "Retry-After") told.retry_after = header.value;
      if (header.name == "RateLimit-Policy") policy_ = header.value;
    }
    return told;
  }
  int vote_as_administrator(int object_id) {
    const std::string body =
        R"({"object_id":)" + std::to_string(object_id) + R"(,"category":"binary","value":1})";
    http::Request request;
    request.body = body;
    request.received_at = kNoon;
    const auto site = service_.app().front.site.state();
    api::Call call{request, *site, {}, {}, {}, {}, {}};
    call.requester.address = base::Address::parse("192.0.2.1");
    call.requester.user = cms::User{7, model::Rights::all()};
    call.voter = 7;
    call.parameters = api::Parameters::read(request).value();
    const auto result =
        support::written(service_.app(), api::run<handlers::cast_vote>(service_.app(), call));
    return result ? result->status : api::error_response(result.error()).status;
  }
  // Sets the maximum number of ratings from one address to two.
  void limit_address(const std::string& store_address = "hash") {
    service_.change(
        {{"max_ratings_per_address", model::decimal_of(2)}, {"store_address", store_address}});
  }
  std::string stored_address() {
    return service_.connection()
        .query("SELECT HEX(address) FROM wp_ratingd_votes")
        .first(db::text_in)
        .value_or("none");
  }

  support::Service service_;
  std::string policy_, body_;  // from the last response
};

TEST_F(VoteRules, RatingsOfAnAddressAreLimited) {
  limit_address();
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(vote("b"), kStored);
  const Told refused{429, "ratingd_rate_limited",
                     "Too many ratings have come from your network. Please try again in 12 hours.",
                     "43200"};
  EXPECT_EQ(vote("c"), refused);
  EXPECT_EQ(vote("a", "192.0.2.1", 1, 0), kStored);
  EXPECT_EQ(vote("c", "192.0.2.2"), kStored);
  EXPECT_EQ(vote("c", "192.0.2.1", 1, 1, kNoon + 12h), kStored);
}

TEST_F(VoteRules, AddressesOfOneIpv6NetworkAreOne) {
  limit_address();
  EXPECT_EQ(vote("a", "2001:db8:0:1::1"), kStored);
  EXPECT_EQ(vote("b", "2001:db8:0:1::2"), kStored);
  EXPECT_EQ(vote("c", "2001:db8:0:1:ffff::3").status, 429);
  EXPECT_EQ(vote("c", "2001:db8:0:2::3"), kStored);
}

TEST_F(VoteRules, WithoutAnAddressNoneIsLimited) {
  limit_address();
  for (int id = 1; id <= 3; ++id) EXPECT_EQ(vote("a", "", id), kStored);
}

TEST_F(VoteRules, NewVotersOfAnAddressAreLimitedOnEachObject) {
  service_.change({{"max_new_voters_per_address_per_object", model::decimal_of(1)}});
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(
      vote("b"),
      (Told{429, "ratingd_rate_limited",
            "Too many people have rated this from your network. Please try again in 12 hours.",
            "43200"}));
  EXPECT_EQ(vote("b", "192.0.2.1", 2), kStored);
}

TEST_F(VoteRules, ProgramsWithChangingUserAgentsAreNewVotersOfTheirAddress) {
  service_.change({{"max_new_voters_per_address_per_object", model::decimal_of(2)}});
  EXPECT_EQ(vote_without_credentials("curl/1"), kStored);
  EXPECT_EQ(vote_without_credentials("curl/2"), kStored);
  EXPECT_EQ(vote_without_credentials("curl/3").code, "ratingd_rate_limited");
  EXPECT_EQ(vote_without_credentials("curl/1"), kStored);
}

TEST_F(VoteRules, ProgramsAreLimitedWithoutStoredAddresses) {
  service_.change(
      {{"max_new_voters_per_address_per_object", model::decimal_of(1)}, {"store_address", "none"}});
  EXPECT_EQ(vote_without_credentials("curl/1"), kStored);
  EXPECT_EQ(vote_without_credentials("curl/2").code, "ratingd_rate_limited");
}

TEST_F(VoteRules, RatingsOfAVoterAreLimited) {
  service_.change({{"max_ratings_per_voter_per_day", model::decimal_of(1)}});
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(
      vote("a", "192.0.2.1", 2),
      (Told{429, "ratingd_rate_limited",
            "You have reached the daily rating limit. Please try again in 11 hours.", "39600"}));
}

TEST_F(VoteRules, CooldownNamesTheWait) {
  service_.change({{"cooldown_seconds", model::decimal_of(90)}});
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(vote("a", "192.0.2.1", 2, 1, kNoon + 500ms),
            (Told{429, "ratingd_cooldown",
                  "You rated a moment ago. Please try again in 90 seconds.", "90"}));
  EXPECT_EQ(vote("a", "192.0.2.1", 2, 1, kNoon + 89s),
            (Told{429, "ratingd_cooldown", "You rated a moment ago. Please try again in 1 second.",
                  "1"}));
  EXPECT_EQ(vote("a", "192.0.2.1", 2, 1, kNoon + 90s), kStored);
}

TEST_F(VoteRules, RevoteCooldownNamesTheWait) {
  service_.change({{"revote", "cooldown"}});
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(vote("a", "192.0.2.1", 1, 0).message,
            "You have already rated this. Please try again in 24 hours.");
  service_.change({{"revote_cooldown_hours", model::decimal_of(2)}});
  EXPECT_EQ(vote("a", "192.0.2.1", 1, 0, kNoon + 1s),
            (Told{429, "ratingd_cooldown",
                  "You have already rated this. Please try again in 120 minutes.", "7199"}));
}

TEST_F(VoteRules, RevoteNeverLetsNobodyChangeOrTakeBackButRepeat) {
  service_.change({{"revote", "never"}});
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(vote("a"), kStored);
  const Told refused = vote("a", "192.0.2.1", 1, 0);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.code, "ratingd_already_rated");
  EXPECT_EQ(take_back("a").code, "ratingd_already_rated");
}

TEST_F(VoteRules, AddressRulesHoldWithoutStoredAddresses) {
  limit_address("none");
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(vote("a", "192.0.2.1", 1, 0), kStored);
  EXPECT_EQ(vote("b"), kStored);
  const Told refused = vote("c");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.retry_after, "43200");
  EXPECT_EQ(vote("b", "192.0.2.1", 1, 0), kStored);
  EXPECT_EQ(vote("c", "192.0.2.2"), kStored);
  EXPECT_EQ(vote("c", "192.0.2.1", 1, 1, kNoon + 12h), kStored);
  EXPECT_FALSE(service_.connection().query("SELECT * FROM wp_ratingd_counters").next());
}

TEST_F(VoteRules, BurstsAreHeldIfTheSettingsSaySo) {
  const auto stuff = [&](const std::string& object_id) {
    for (int i = 1; i <= 15; ++i) {
      EXPECT_EQ(vote("stuffer", "192.0.2." + std::to_string(i), std::stoi(object_id)), kStored);
    }
    db::Rows row = service_.connection().query(
        "SELECT SUM(held), SUM(agent <> 0) FROM wp_ratingd_votes WHERE object_id = " + object_id);
    EXPECT_TRUE(row.next());
    return std::pair(row.integer(1) > 0, row.integer(2) > 0);
  };
  service_.change({{"hold_threshold", model::decimal_of(10)}});
  EXPECT_EQ(stuff("1"), std::pair(false, false));
  service_.change({{"hold_suspicious", true}});
  EXPECT_EQ(stuff("2"), std::pair(true, true));
}

TEST_F(VoteRules, RefusedVoteIsNotCountedInMemory) {
  limit_address("none");
  service_.change({{"max_ratings_per_voter_per_day", model::decimal_of(1)}});
  EXPECT_EQ(vote("a"), kStored);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(vote("a", "192.0.2.1", 2).status, 429);
  EXPECT_EQ(vote("b"), kStored);
}

TEST_F(VoteRules, NewVotersAreLimitedWithoutStoredAddresses) {
  limit_address("none");
  service_.change({{"max_new_voters_per_address_per_object", model::decimal_of(1)}});
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(vote("b").code, "ratingd_rate_limited");
  EXPECT_EQ(vote("b", "192.0.2.1", 2), kStored);
}

TEST_F(VoteRules, AddressesAreStoredAsTheSettingSays) {
  service_.change({{"store_address", "full"}});
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(stored_address(), "34C0000201");
  service_.change({{"store_address", "none"}});
  EXPECT_EQ(vote("a", "192.0.2.1", 1, 0), kStored);
  EXPECT_EQ(stored_address(), "");
  service_.change({{"store_address", "hash"}});
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(stored_address().substr(0, 2), "68");
  EXPECT_EQ(stored_address().size(), 34U);
}

TEST_F(VoteRules, AdministratorsAreUnlimitedIfTheSettingSaysSo) {
  limit_address();
  service_.wordpress().set_option(
      "wp_user_roles",
      R"(a:1:{s:13:"administrator";a:1:{s:12:"capabilities";a:1:{s:14:"manage_options";b:1;}}})");
  service_.change({{"max_ratings_per_user_per_day", model::decimal_of(1)}});
  EXPECT_EQ(vote_as_administrator(1), 200);
  EXPECT_EQ(vote_as_administrator(2), 200);
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(vote("b"), kStored);
  EXPECT_EQ(vote_as_administrator(3), 200);

  service_.change({{"administrators_unlimited", false}});
  EXPECT_EQ(vote_as_administrator(4), 429);
}

TEST_F(VoteRules, BlockedNetworksMayNotRate) {
  service_.change({{"blocked_networks", Texts{"198.51.100.7", "192.0.2.0/24", "2001:db8::/32"}}});
  const Told blocked{403, "ratingd_blocked",
                     "Ratings from your network or browser are not accepted.", ""};
  EXPECT_EQ(vote("a"), blocked);
  EXPECT_EQ(vote("a", "2001:db8::1"), blocked);
  EXPECT_EQ(vote("a", "198.51.100.7"), blocked);
  EXPECT_EQ(vote("a", "198.51.100.8"), kStored);
}

TEST_F(VoteRules, BlockedAgentsMayNotRate) {
  service_.change({{"blocked_agents", Texts{"badbot", "curl/"}}});
  EXPECT_EQ(vote("Mozilla/5.0 (compatible; BadBot/2.1)").code, "ratingd_blocked");
  EXPECT_EQ(vote("curl/8.5.0").code, "ratingd_blocked");
  EXPECT_EQ(vote("Mozilla/5.0 (X11)"), kStored);
}

TEST_F(VoteRules, BlockedMayReadAndTakeBack) {
  EXPECT_EQ(vote("a"), kStored);
  service_.change({{"blocked_agents", Texts{"a"}}});
  const std::string token = token_of("a", "192.0.2.1");
  http::Request request;
  request.method = Method::get;
  request.user_agent = "a";
  request.device_token = token;
  request.has_device_token = true;
  request.remote_address = "192.0.2.1";
  request.received_at = kNoon;
  EXPECT_EQ(service_.serve(request, "/stats/1").status, 200);
  request.method = Method::delete_;
  request.query = "object_id=1&category=binary";
  EXPECT_EQ(service_.serve(request, "/rate").status, 200);
}

TEST_F(VoteRules, RefusalsNameTheLimitThatWasReached) {
  const auto policy_after = [&](const store::SettingChanges& changes, const std::string& voter,
                                int object_id, int value) {
    service_.change(changes);
    EXPECT_EQ(vote(voter, "192.0.2.1", object_id, value).status, 429);
    const std::string name = policy_.substr(0, policy_.find(';'));
    EXPECT_NE(body_.find(R"("policy":)" + name), std::string::npos) << body_;
    return policy_;
  };
  EXPECT_EQ(vote("a"), kStored);
  EXPECT_EQ(policy_after({{"revote", std::string("cooldown")}}, "a", 1, 0),
            R"("revote";q=1;w=86400)");
  EXPECT_EQ(policy_after({{"cooldown_seconds", model::decimal_of(90)}}, "a", 2, 1),
            R"("cooldown";q=1;w=90)");
  EXPECT_EQ(policy_after({{"cooldown_seconds", model::decimal_of(0)},
                          {"max_ratings_per_voter_per_day", model::decimal_of(1)}},
                         "a", 2, 1),
            R"("voter";q=1;w=86400)");
  EXPECT_EQ(
      policy_after({{"max_new_voters_per_address_per_object", model::decimal_of(1)}}, "b", 1, 1),
      R"("new-voters";q=1;w=86400)");
  EXPECT_EQ(policy_after({{"max_ratings_per_address", model::decimal_of(1)}}, "b", 3, 1),
            R"("address";q=1;w=86400)");
  EXPECT_EQ(vote("a").status, 200) << "nothing is refused that changes nothing";
  EXPECT_EQ(policy_.substr(0, 8), R"("write";)");
}

}  // namespace
