#include "identity/requester.h"

#include <gtest/gtest.h>

#include <set>

#include "base/crypto.h"
#include "base/text.h"
#include "support/voter_cookie.h"

namespace {

using namespace std::string_literals;

const identity::KeyRing kKeys = {{"cookie key", "new key", "address key", "counter key",
                                  "agent key", "import key", "device key", "visitor key",
                                  "network key"}};
const std::string kToken = "0123456789abcdefABCDEF_-";
const model::Settings kSettings;

http::Request request_from(std::string_view address, std::string_view agent) {
  http::Request request;
  request.remote_address = address;
  request.user_agent = agent;
  request.received_at = base::Time(std::chrono::seconds(1'795'000'000));
  return request;
}

TEST(Identify, WithoutACookieThereIsNoVoter) {
  EXPECT_EQ(identity::recognize(request_from("192.0.2.1", "a"), kKeys, kSettings).voter(),
            std::nullopt);
}

TEST(Identify, AValidCookieIsTheVoter) {
  const model::VoterId voter = model::kAnonymousBit | 5;
  http::Request request = request_from("192.0.2.1", "a");
  const auto issued = std::chrono::floor<std::chrono::seconds>(request.received_at);
  const std::string header =
      "other=1; ratingd_voter=" + identity::write_voter_cookie({voter, issued}, kKeys);
  request.cookie = header;
  EXPECT_EQ(identity::recognize(request, kKeys, kSettings).voter(), voter);
}

http::Request request_with_token(std::string_view token) {
  http::Request request = request_from("192.0.2.1", "a");
  request.device_token = token;
  request.has_device_token = true;
  return request;
}

model::VoterId voter_of_network(std::string_view address, std::string_view agent,
                                const model::Object& object = {1, "post"},
                                std::string_view salt = "salt") {
  return identity::voter_of_network(base::Address::parse(address), agent, object, salt,
                                    kKeys.front());
}

TEST(VoterOfNetwork, IsTheSameForOneNetworkUserAgentObjectAndSalt) {
  const model::VoterId voter = voter_of_network("192.0.2.1", "curl");
  EXPECT_TRUE(model::is_anonymous(voter));
  EXPECT_EQ(voter_of_network("192.0.2.1", "curl"), voter);
  EXPECT_EQ(voter_of_network("2001:db8:0:1::1", "curl"),
            voter_of_network("2001:db8:0:1:ffff::2", "curl"));
}

TEST(VoterOfNetwork, IsAnotherForEachOtherPart) {
  const std::set<model::VoterId> voters = {
      voter_of_network("192.0.2.1", "curl"),
      voter_of_network("192.0.2.2", "curl"),
      voter_of_network("2001:db8:0:1::1", "curl"),
      voter_of_network("2001:db8:0:2::1", "curl"),
      voter_of_network("192.0.2.1", ""),
      voter_of_network("192.0.2.1", "wget"),
      voter_of_network("192.0.2.1", "curl", {2, "post"}),
      voter_of_network("192.0.2.1", "curl", {1, "page"}),
      voter_of_network("192.0.2.1", "curl", {1, "post"}, "another salt"),
  };
  EXPECT_EQ(voters.size(), 9U);
}

// Requests with different user agents and objects must have different voters, even if the
// concatenated texts are equal.
TEST(VoterOfNetwork, DoesNotDependOnWhereTextsAreSplit) {
  EXPECT_NE(voter_of_network("192.0.2.1", "1:a", {1, "post"}),
            voter_of_network("192.0.2.1", "a", {11, "post"}));
  EXPECT_NE(voter_of_network("192.0.2.1", "t", {1, "pos"}),
            voter_of_network("192.0.2.1", "", {1, "post"}));
}

TEST(Identify, ADeviceTokenIsAlwaysTheSameAnonymousVoter) {
  const auto requester = identity::recognize(request_with_token(kToken), kKeys, kSettings);
  ASSERT_TRUE(requester.voter());
  EXPECT_TRUE(model::is_anonymous(*requester.voter()));
  http::Request elsewhere = request_with_token(kToken);
  elsewhere.remote_address = "2001:db8::1";
  elsewhere.user_agent = "b";
  EXPECT_EQ(identity::recognize(elsewhere, kKeys, kSettings).voter(), requester.voter());
  const std::string other = kToken + "1";
  EXPECT_NE(identity::recognize(request_with_token(other), kKeys, kSettings).voter(),
            requester.voter());
}

TEST(Identify, DeviceTokensHaveOneForm) {
  EXPECT_TRUE(identity::is_device_token(std::string(22, 'a')));
  EXPECT_TRUE(identity::is_device_token(std::string(128, '-')));
  EXPECT_TRUE(identity::is_device_token("123e4567-e89b-42d3-a456-426614174000"));
  for (const std::string& text :
       {std::string(), std::string(21, 'a'), std::string(129, 'a'), std::string(21, 'a') + "=",
        std::string(21, 'a') + "\xc3", std::string(21, 'a') + " ", std::string(22, 'a') + ","}) {
    EXPECT_FALSE(identity::is_device_token(text)) << text;
    const auto requester = identity::recognize(request_with_token(text), kKeys, kSettings);
    EXPECT_TRUE(requester.has_malformed_device_token);
    EXPECT_EQ(requester.voter(), std::nullopt);
  }
}

TEST(Identify, ACookieComesBeforeADeviceToken) {
  const model::VoterId voter = model::kAnonymousBit | 5;
  http::Request request = request_with_token(kToken);
  const auto issued = std::chrono::floor<std::chrono::seconds>(request.received_at);
  const std::string header =
      support::voter_cookie(identity::write_voter_cookie({voter, issued}, kKeys));
  request.cookie = header;
  EXPECT_EQ(identity::recognize(request, kKeys, kSettings).voter(), voter);
}

TEST(Identify, ARequestIdIsAlwaysTheSameAnonymousVoter) {
  const identity::Keys& keys = kKeys.front();
  const model::VoterId voter = identity::voter_of_request("0123456789abcdef", keys);
  EXPECT_TRUE(model::is_anonymous(voter));
  EXPECT_EQ(identity::voter_of_request("0123456789abcdef", keys), voter);
  EXPECT_NE(identity::voter_of_request("0123456789abcde0", keys), voter);
  EXPECT_NE(identity::voter_of_device("0123456789abcdef", keys), voter);
}

TEST(Identify, ACookieOfTheSameNameDoesNotHideTheValidOne) {
  const model::VoterId voter = model::kAnonymousBit | 5;
  http::Request request = request_from("192.0.2.1", "a");
  const auto issued = std::chrono::floor<std::chrono::seconds>(request.received_at);
  const std::string header =
      support::voter_cookie("junk") + "; " +
      support::voter_cookie(identity::write_voter_cookie({voter, issued}, kKeys));
  request.cookie = header;
  EXPECT_EQ(identity::recognize(request, kKeys, kSettings).voter(), voter);
}

TEST(Identify, OfCookiesOfSeveralVotersTheLastCounts) {
  http::Request request = request_from("192.0.2.1", "a");
  const auto issued = std::chrono::floor<std::chrono::seconds>(request.received_at);
  const auto cookie_of = [&](model::VoterId voter) {
    return support::voter_cookie(
               identity::write_voter_cookie({model::kAnonymousBit | voter, issued}, kKeys)) +
           "; ";
  };
  const std::string one = cookie_of(6) + cookie_of(6) + support::voter_cookie("junk");
  request.cookie = one;
  EXPECT_FALSE(identity::recognize(request, kKeys, kSettings).has_conflicting_cookies);
  const std::string several = cookie_of(6) + cookie_of(5) + support::voter_cookie("junk");
  request.cookie = several;
  const identity::Requester requester = identity::recognize(request, kKeys, kSettings);
  EXPECT_EQ(requester.voter(), model::kAnonymousBit | 5U);
  EXPECT_TRUE(requester.has_conflicting_cookies);
}

std::string stored(std::string_view address, model::StoreAddress form) {
  return identity::stored_address(base::Address::parse(address), kKeys.front(), form);
}

TEST(Identify, AddressIsStoredAsAKeyedHash) {
  const std::string hash = stored("192.0.2.1", model::StoreAddress::hash);
  EXPECT_EQ(hash.size(), 17U);
  EXPECT_EQ(hash.front(), 'h');
  EXPECT_EQ(hash.find(base::Address::parse("192.0.2.1").bytes), std::string::npos);
  EXPECT_NE(hash, stored("192.0.2.2", model::StoreAddress::hash));
}

TEST(Identify, AddressIsStoredInFullOrNotAtAll) {
  EXPECT_EQ(stored("192.0.2.1", model::StoreAddress::full), "4\xC0\x00\x02\x01"s);
  EXPECT_EQ(stored("2001:db8::1", model::StoreAddress::full),
            "6\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01"s);
  EXPECT_EQ(stored("192.0.2.1", model::StoreAddress::none), "");
}

TEST(Identify, NoAddressIsStoredAsNothing) {
  EXPECT_EQ(stored("", model::StoreAddress::hash), "");
  EXPECT_EQ(stored("unix:", model::StoreAddress::full), "");
}

TEST(Identify, AgentsAreStoredAsAKeyedHashThatIsNever0) {
  identity::Keys other = kKeys.front();
  other.agent = "another key";
  EXPECT_EQ(identity::stored_agent("a", kKeys.front()), identity::stored_agent("a", kKeys.front()));
  EXPECT_NE(identity::stored_agent("a", kKeys.front()), identity::stored_agent("b", kKeys.front()));
  EXPECT_NE(identity::stored_agent("a", kKeys.front()), identity::stored_agent("a", other));
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_NE(identity::stored_agent(std::to_string(i), other), 0);
  }
}

TEST(Visitors, HaveOneVoterForEachPairOfIssuerAndSubject) {
  const identity::Keys& keys = kKeys.front();
  const model::VoterId voter = identity::voter_of_visitor({"shop", "7"}, keys);
  EXPECT_EQ(identity::voter_of_visitor({"shop", "7"}, keys), voter);
  EXPECT_TRUE(model::is_anonymous(voter));
  const std::vector<model::FrontEndVisitor> others = {
      {"shop", "8"}, {"app", "7"}, {"shop7", ""}, {"sho", "p7"}, {"shop", std::string("7\0", 2)}};
  for (const model::FrontEndVisitor& other : others) {
    EXPECT_NE(identity::voter_of_visitor(other, keys), voter) << other.issuer;
  }
  identity::Keys other_keys = keys;
  other_keys.visitor = "another";
  EXPECT_NE(identity::voter_of_visitor({"shop", "7"}, other_keys), voter);
}

}  // namespace
