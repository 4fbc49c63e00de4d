#include "identity/secrets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "base/crypto.h"
#include "base/text.h"

namespace {

class Secrets : public ::testing::Test {
 protected:
  ~Secrets() override { std::filesystem::remove(file_); }
  void write(const std::string& text) { std::ofstream(file_) << text; }
  static std::string problem_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  std::string problem() {
    return problem_of([&] { static_cast<void>(identity::read_secrets(file_)); });
  }

  const std::filesystem::path file_ = std::filesystem::path(::testing::TempDir()) /
                                      ("secret_" + base::to_hex(base::random_bytes(8)));
};

TEST_F(Secrets, IsMadeForTheOwnerAndTheGroupOnly) {
  identity::make_secret(file_);
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(identity::read_secrets(file_).size(), 1U);
}

TEST_F(Secrets, IsNeverOverwritten) {
  write("something");
  EXPECT_THROW(identity::make_secret(file_), std::runtime_error);
}

TEST_F(Secrets, GivesEachUseAKeyOfItsOwn) {
  identity::make_secret(file_);
  const identity::Keys keys = identity::read_secrets(file_).front();
  const std::set<std::string> different = {keys.voter_cookie, keys.new_voter, keys.address,
                                           keys.counters,     keys.agent,     keys.imports,
                                           keys.device,       keys.visitor,   keys.health};
  EXPECT_EQ(different.size(), 9U);
}

TEST_F(Secrets, MayHoldTwoSecrets) {
  write(std::string(64, 'a') + "\n" + std::string(64, 'b') + "\n");
  EXPECT_EQ(identity::read_secrets(file_).size(), 2U);
}

// If a rotation replaced the device-token key, all voters with device tokens would become new
// voters.
TEST_F(Secrets, KeepsTheKeyOfDeviceTokensWhenItIsRotated) {
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
    EXPECT_EQ(both[0].visitor, before.visitor);
    EXPECT_EQ(both[0].network, before.network);
    EXPECT_THROW(identity::rotate_secret(file_), std::runtime_error);
    identity::retire_secret(file_);
    const identity::KeyRing after = identity::read_secrets(file_);
    ASSERT_EQ(after.size(), 1U);
    EXPECT_EQ(after[0].voter_cookie, both[0].voter_cookie);
    EXPECT_EQ(after[0].device, before.device);
    EXPECT_THROW(identity::retire_secret(file_), std::runtime_error);
  }
}

TEST_F(Secrets, SitesOfANetworkHaveKeysOfTheirOwn) {
  identity::make_secret(file_);
  const identity::Keys first = identity::read_secrets(file_, 1).front();
  const identity::Keys second = identity::read_secrets(file_, 2).front();
  const identity::Keys third = identity::read_secrets(file_, 3).front();
  EXPECT_EQ(first.device, identity::read_secrets(file_).front().device);
  for (auto key : {&identity::Keys::voter_cookie, &identity::Keys::device, &identity::Keys::visitor,
                   &identity::Keys::network, &identity::Keys::address}) {
    EXPECT_NE(second.*key, first.*key);
    EXPECT_NE(second.*key, third.*key);
  }
  identity::rotate_secret(file_);
  EXPECT_EQ(identity::read_secrets(file_, 2)[1].device, second.device);
}

TEST_F(Secrets, IsRotatedWhereALinkLeads) {
  identity::make_secret(file_);
  const std::filesystem::path link = file_.string() + ".link";
  std::filesystem::create_symlink(file_, link);
  identity::rotate_secret(link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(identity::read_secrets(file_).size(), 2U);
  std::filesystem::remove(link);
}

TEST_F(Secrets, KeepsItsModeWhenItIsRotated) {
  identity::make_secret(file_);
  std::filesystem::permissions(file_, std::filesystem::perms(0400));
  identity::rotate_secret(file_);
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0400));
  EXPECT_FALSE(std::filesystem::exists(file_.string() + ".new"));
}

TEST_F(Secrets, OfAnyOtherFormIsRefused) {
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

// Each site has its own secret file. A rotation fails if the file contains two secrets, because
// dropping the older secret would turn older visitors into new voters.
TEST_F(Secrets, AreNotRotatedAgainBeforeTheOlderIsRetired) {
  identity::make_secret(file_);
  identity::rotate_secret(file_);
  const std::string said = problem_of([&] { identity::rotate_secret(file_); });
  EXPECT_NE(said.find("docs/operations.md"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("ratingctl retire-secret --secret-file " + file_.string())) << said;
  EXPECT_EQ(identity::read_secrets(file_).size(), 2U);
}

TEST_F(Secrets, ThatAreMissingAreNamedAsAWordForTheShell) {
  const std::string said =
      problem_of([] { static_cast<void>(identity::read_secrets("/not there/secret")); });
  EXPECT_TRUE(said.ends_with("--secret-file '/not there/secret'")) << said;
}

// The error message suggests restoring the secret file from a backup, because a new secret would
// turn all visitors into new voters.
TEST_F(Secrets, ThatAreLostAreToBeCopiedFromABackup) {
  write("");  // a disk was full
  EXPECT_NE(problem().find("copy the file from a backup"), std::string::npos) << problem();
  std::filesystem::remove(file_);
  EXPECT_NE(problem().find("copy the file from a backup"), std::string::npos) << problem();
}

TEST_F(Secrets, KeepTheTicketKeysWhenTheyAreRotated) {
  identity::make_secret(file_);
  const identity::TicketKey key{"shop", identity::TicketAlgorithm::hs256,
                                identity::new_shared_secret()};
  identity::add_ticket_key(file_, key);
  identity::rotate_secret(file_);
  EXPECT_EQ(identity::read_secret_file(file_).ticket_keys, std::vector{key});
  identity::retire_secret(file_);
  EXPECT_EQ(identity::read_secret_file(file_).ticket_keys, std::vector{key});
}

}  // namespace
