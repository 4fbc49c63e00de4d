#include "identity/asker.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/bytes.h"
#include "base/crypto.h"

namespace {

using namespace std::string_literals;

const identity::KeyRing kKeys = {
    {"cookie key", "fingerprint key", "address key", "proof key", "counter key", "agent key"}};
const model::Settings kSettings;

http::Request request_from(std::string_view address, std::string_view agent) {
  http::Request request;
  request.remote_address = address;
  request.user_agent = agent;
  request.received_at = base::Time(std::chrono::seconds(1'795'000'000));
  return request;
}

std::string fingerprint(std::string_view address, std::string_view agent) {
  return identity::fingerprint_of(base::Address::parse(address), agent, kKeys.front());
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
      "other=1; ratingd_voter=" + identity::write_voter_cookie({voter, issued, true}, kKeys);
  request.cookie = header;
  EXPECT_EQ(identity::recognise(request, kKeys, kSettings).voter(), voter);
}

TEST(Identify, FingerprintsDifferByAddressAndAgent) {
  const std::set<std::string> different = {
      fingerprint("192.0.2.1", "a"), fingerprint("192.0.2.1", "b"), fingerprint("192.0.2.2", "a"),
      fingerprint("2001:db8::1", "a"), fingerprint("192.0.2.1", "")};
  EXPECT_EQ(different.size(), 5U);
  for (const std::string& one : different) EXPECT_EQ(one.size(), 16U);
}

TEST(Identify, TheFirst64BitsOfAnIpv6AddressAreOneNetwork) {
  EXPECT_EQ(fingerprint("2001:db8:0:1::1", "a"), fingerprint("2001:db8:0:1:ffff::2", "a"));
  EXPECT_NE(fingerprint("2001:db8:0:1::1", "a"), fingerprint("2001:db8:0:2::1", "a"));
  EXPECT_EQ(fingerprint("::ffff:192.0.2.1", "a"), fingerprint("192.0.2.1", "a"));
}

TEST(Identify, WithoutAnAddressThereIsNoFingerprint) {
  EXPECT_EQ(fingerprint("", "a"), "");
  EXPECT_EQ(fingerprint("unix:", "a"), "");
}

TEST(Identify, ACookieOfTheSameNameDoesNotHideTheValidOne) {
  const model::VoterId voter = model::kAnonymousBit | 5;
  http::Request request = request_from("192.0.2.1", "a");
  const auto issued = std::chrono::floor<std::chrono::seconds>(request.received_at);
  const std::string header = "ratingd_voter=junk; ratingd_voter=" +
                             identity::write_voter_cookie({voter, issued, true}, kKeys);
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

TEST(Identify, RandomVotersAreAnonymousAndDiffer) {
  const model::VoterId voter = identity::random_voter();
  EXPECT_TRUE(model::is_anonymous(voter));
  EXPECT_NE(voter, identity::random_voter());
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
  EXPECT_NE(keys.voter_cookie, keys.fingerprint);
  EXPECT_NE(keys.fingerprint, keys.address);
}

TEST_F(SecretFile, MayHoldTwoSecrets) {
  write(std::string(64, 'a') + "\n" + std::string(64, 'b') + "\n");
  EXPECT_EQ(identity::read_secrets(file_).size(), 2U);
}

TEST_F(SecretFile, OfAnyOtherFormIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("short\n"), std::string(64, 'x') + "\n",
        std::string(63, 'a') + "\n",
        std::string(64, 'a') + "\n" + std::string(64, 'b') + "\n" + std::string(64, 'c') + "\n"}) {
    write(text);
    EXPECT_THROW(static_cast<void>(identity::read_secrets(file_)), std::runtime_error) << text;
  }
  std::filesystem::remove(file_);
  EXPECT_THROW(static_cast<void>(identity::read_secrets(file_)), std::runtime_error);
}

}  // namespace
