#include "identity/requester.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/bytes.h"
#include "base/crypto.h"

namespace {

using namespace std::string_literals;

const identity::KeyRing kKeys = {{"cookie key", "new key", "address key", "counter key",
                                  "agent key", "import key", "device key"}};
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
  EXPECT_EQ(identity::recognise(request_from("192.0.2.1", "a"), kKeys, kSettings).voter(),
            std::nullopt);
}

TEST(Identify, AValidCookieIsTheVoter) {
  const model::VoterId voter = model::kAnonymousBit | 5;
  http::Request request = request_from("192.0.2.1", "a");
  const auto issued = std::chrono::floor<std::chrono::seconds>(request.received_at);
  const std::string header =
      "other=1; ratingd_voter=" + identity::write_voter_cookie({voter, issued}, kKeys);
  request.cookie = header;
  EXPECT_EQ(identity::recognise(request, kKeys, kSettings).voter(), voter);
}

http::Request request_with_token(std::string_view token) {
  http::Request request = request_from("192.0.2.1", "a");
  request.device_token = token;
  request.has_device_token = true;
  return request;
}

TEST(Identify, ADeviceTokenIsAlwaysTheSameAnonymousVoter) {
  const auto requester = identity::recognise(request_with_token(kToken), kKeys, kSettings);
  ASSERT_TRUE(requester.voter());
  EXPECT_TRUE(model::is_anonymous(*requester.voter()));
  http::Request elsewhere = request_with_token(kToken);
  elsewhere.remote_address = "2001:db8::1";
  elsewhere.user_agent = "b";
  EXPECT_EQ(identity::recognise(elsewhere, kKeys, kSettings).voter(), requester.voter());
  const std::string other = kToken + "1";
  EXPECT_NE(identity::recognise(request_with_token(other), kKeys, kSettings).voter(),
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
    const auto requester = identity::recognise(request_with_token(text), kKeys, kSettings);
    EXPECT_TRUE(requester.has_malformed_device_token);
    EXPECT_EQ(requester.voter(), std::nullopt);
  }
}

TEST(Identify, ACookieComesBeforeADeviceToken) {
  const model::VoterId voter = model::kAnonymousBit | 5;
  http::Request request = request_with_token(kToken);
  const auto issued = std::chrono::floor<std::chrono::seconds>(request.received_at);
  const std::string header =
      "ratingd_voter=" + identity::write_voter_cookie({voter, issued}, kKeys);
  request.cookie = header;
  EXPECT_EQ(identity::recognise(request, kKeys, kSettings).voter(), voter);
}

TEST(Identify, ProofIsWhateverCouldIdentifyTheSender) {
  EXPECT_FALSE(identity::has_proof({}));
  std::vector<http::Request> requests(6);
  requests[0].cookie = "a=b";
  requests[1].authorization = "Basic x";
  requests[2].has_wp_nonce = true;
  requests[3].has_device_token = true;
  requests[4].has_ticket = true;
  requests[5].query = "a=1&_wpnonce=2";
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_TRUE(identity::has_proof(requests[i])) << i;
  }
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
      "ratingd_voter=junk; ratingd_voter=" + identity::write_voter_cookie({voter, issued}, kKeys);
  request.cookie = header;
  EXPECT_EQ(identity::recognise(request, kKeys, kSettings).voter(), voter);
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

class SecretFile : public ::testing::Test {
 protected:
  ~SecretFile() override { std::filesystem::remove(file_); }
  void write(const std::string& text) { std::ofstream(file_) << text; }

  const std::filesystem::path file_ = std::filesystem::path(::testing::TempDir()) /
                                      ("secret_" + base::to_hex(base::random_bytes(8)));
};

TEST_F(SecretFile, IsMadeForTheOwnerAndTheGroupOnly) {
  identity::make_secret(file_);
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(identity::read_secrets(file_).size(), 1U);
}

TEST_F(SecretFile, IsNeverOverwritten) {
  write("something");
  EXPECT_THROW(identity::make_secret(file_), std::runtime_error);
}

TEST_F(SecretFile, GivesEachUseAKeyOfItsOwn) {
  identity::make_secret(file_);
  const identity::Keys keys = identity::read_secrets(file_).front();
  const std::set<std::string> different = {keys.voter_cookie, keys.new_voter, keys.address,
                                           keys.counters,     keys.agent,     keys.imports,
                                           keys.device};
  EXPECT_EQ(different.size(), 7U);
}

TEST_F(SecretFile, MayHoldTwoSecrets) {
  write(std::string(64, 'a') + "\n" + std::string(64, 'b') + "\n");
  EXPECT_EQ(identity::read_secrets(file_).size(), 2U);
}

// Or the voters of device tokens would be others.
TEST_F(SecretFile, KeepsTheKeyOfDeviceTokensWhenItIsRotated) {
  for (const std::string& text :
       {std::string(64, 'a') + "\n",
        std::string(64, 'a') + "\ndevice-token " + std::string(64, 'b') + "\n"}) {
    write(text);
    const identity::Keys before = identity::read_secrets(file_).front();
    identity::rotate_secret(file_);
    const identity::KeyRing both = identity::read_secrets(file_);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[1].voter_cookie, before.voter_cookie);
    EXPECT_NE(both[0].voter_cookie, before.voter_cookie);
    EXPECT_EQ(both[0].device, before.device);
    EXPECT_THROW(identity::rotate_secret(file_), std::runtime_error);
    identity::retire_secret(file_);
    const identity::KeyRing after = identity::read_secrets(file_);
    ASSERT_EQ(after.size(), 1U);
    EXPECT_EQ(after[0].voter_cookie, both[0].voter_cookie);
    EXPECT_EQ(after[0].device, before.device);
    EXPECT_THROW(identity::retire_secret(file_), std::runtime_error);
  }
}

TEST_F(SecretFile, IsRotatedWhereALinkLeads) {
  identity::make_secret(file_);
  const std::filesystem::path link = file_.string() + ".link";
  std::filesystem::create_symlink(file_, link);
  identity::rotate_secret(link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(identity::read_secrets(file_).size(), 2U);
  std::filesystem::remove(link);
}

TEST_F(SecretFile, KeepsItsModeWhenItIsRotated) {
  identity::make_secret(file_);
  std::filesystem::permissions(file_, std::filesystem::perms(0400));
  identity::rotate_secret(file_);
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0400));
  EXPECT_FALSE(std::filesystem::exists(file_.string() + ".new"));
}

TEST_F(SecretFile, OfAnyOtherFormIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("short\n"), std::string(64, 'x') + "\n",
        std::string(63, 'a') + "\n",
        std::string(64, 'a') + "\n" + std::string(64, 'b') + "\n" + std::string(64, 'c') + "\n",
        std::string("device-token ") + std::string(64, 'a') + "\n",
        std::string(64, 'a') + "\ndevice-token " + std::string(62, 'b') + "\n",
        std::string(64, 'a') + "\ndevice-token " + std::string(64, 'b') + "\ndevice-token " +
            std::string(64, 'b') + "\n"}) {
    write(text);
    EXPECT_THROW(static_cast<void>(identity::read_secrets(file_)), std::runtime_error) << text;
  }
  std::filesystem::remove(file_);
  EXPECT_THROW(static_cast<void>(identity::read_secrets(file_)), std::runtime_error);
}

}  // namespace
