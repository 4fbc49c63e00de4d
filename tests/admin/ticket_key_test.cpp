// Tests the `ratingctl ticket-key` command in lib/admin/secret.cpp.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "admin/doctor.h"
#include "base/crypto.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "identity/secrets.h"
#include "support/ratingctl.h"

namespace {

using identity::TicketAlgorithm;
using identity::TicketKey;
using support::has;

constexpr const char* kPublicKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEuGKIAxuQ5Qgnb9/e/3mBYopVPyA6\n"
    "3SJyU44CM4OqJqYwrnJabFegk5sXBESSFZxlr2BpNhuybPbP7Gp0QZH9bw==\n"
    "-----END PUBLIC KEY-----\n";

// Runs ratingctl with a secret file but without a database.
class TicketKeyCommand : public ::testing::Test {
 protected:
  TicketKeyCommand() {
    std::filesystem::create_directory(folder_);
    config_.secret_file = folder_ / "secret";
    identity::make_secret(config_.secret_file);
  }
  ~TicketKeyCommand() override { std::filesystem::remove_all(folder_); }

  std::string run(const std::vector<std::string>& words, const config::CommandFlags& flags = {}) {
    support::Outcome outcome = support::run_ratingctl(config_, words, flags);
    status_ = outcome.status;
    said_ = outcome.err;
    return outcome.out;
  }
  // Expects that a command fails with a message that contains "part", and that the command changes
  // no key.
  void expect_refusal(const std::vector<std::string>& words, const config::CommandFlags& flags,
                      const std::string& part) {
    const auto before = keys();
    EXPECT_EQ(run(words, flags), "");
    EXPECT_NE(status_, 0);
    EXPECT_TRUE(has(said_, part));
    EXPECT_EQ(keys(), before);
  }
  std::vector<cms::Finding> findings_at_doctor() const {
    std::vector<cms::Finding> report;
    cms::Findings findings({"ticket keys"}, report);
    admin::check_ticket_keys(config_, now(), findings);
    return report;
  }
  std::vector<TicketKey> keys() const {
    return identity::read_secret_file(config_.secret_file).ticket_keys;
  }
  // Adds a ticket key that was created "days" days ago.
  TicketKey add(const std::string& name, int days) {
    TicketKey key;
    key.name = name;
    key.key = identity::new_shared_secret();
    key.rights.add(model::Right::see_persons);
    key.is_of_cms_users = true;
    key.added = now() - std::chrono::days(days);
    identity::add_ticket_key(config_.secret_file, key);
    return key;
  }
  static std::chrono::sys_seconds now() {
    return std::chrono::floor<std::chrono::seconds>(base::SystemClock().now());
  }
  std::string file(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

  const std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                        ("ticket_key_" + base::to_hex(base::random_bytes(8)));
  config::Config config_;
  int status_ = 0;
  std::string said_;  // standard error
};

TEST_F(TicketKeyCommand, AddPrintsTheSecretAloneAndStoresIt) {
  const std::string printed = run({"ticket-key", "add", "shop"});
  ASSERT_EQ(keys().size(), 1U);
  const TicketKey key = keys().front();
  EXPECT_EQ(printed, key.key + "\n");
  EXPECT_EQ(key.key.size(), 43U);
  EXPECT_EQ(key.name, "shop");
  EXPECT_EQ(key.algorithm, TicketAlgorithm::hs256);
  EXPECT_TRUE(key.rights.is_empty());
  EXPECT_FALSE(key.may_forward);
  EXPECT_FALSE(key.is_of_cms_users);
  EXPECT_TRUE(key.is_sent_by_browsers);
  EXPECT_LE(now() - key.added, std::chrono::minutes(1));
  EXPECT_FALSE(has(said_, key.key));
  EXPECT_TRUE(has(said_, "Reload the workers"));
}

TEST_F(TicketKeyCommand, AddStoresNoKeyThatCannotBePrinted) {
  std::fflush(stdout);
  const base::Descriptor before(dup(STDOUT_FILENO));
  const base::Descriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  const std::vector<std::string> name = {"shop"};
  dup2(full.number(), STDOUT_FILENO);
  std::string error;
  try {
    admin::add_ticket_key({config_, name, {}});
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  dup2(before.number(), STDOUT_FILENO);
  std::clearerr(stdout);
  EXPECT_EQ(error, "standard output: No space left on device");
  EXPECT_TRUE(keys().empty());
}

TEST_F(TicketKeyCommand, AddTakesRightsAndFlags) {
  run({"ticket-key", "add", "shop"},
      {{"rights", "administer,see_unpublished"}, {"may-forward", "yes"}, {"cms-users", "yes"}});
  const TicketKey key = keys().at(0);
  EXPECT_EQ(identity::names_of(key.rights), "administer,see_unpublished");
  EXPECT_TRUE(key.may_forward);
  EXPECT_TRUE(key.is_of_cms_users);
}

TEST_F(TicketKeyCommand, AddSaysWhoSendsTheTickets) {
  run({"ticket-key", "add", "forwarding"}, {{"may-forward", "yes"}});
  run({"ticket-key", "add", "server"}, {{"sent-by", "server"}});
  run({"ticket-key", "add", "both"}, {{"may-forward", "yes"}, {"sent-by", "browsers"}});
  EXPECT_FALSE(keys().at(0).is_sent_by_browsers);
  EXPECT_FALSE(keys().at(1).is_sent_by_browsers);
  EXPECT_TRUE(keys().at(2).is_sent_by_browsers);
  run({"ticket-key", "add", "server"});  // takes over the existing key
  EXPECT_FALSE(keys().at(3).is_sent_by_browsers);
  expect_refusal({"ticket-key", "add", "shop"}, {{"sent-by", "app"}},
                 "--sent-by must be browsers or server");
}

TEST_F(TicketKeyCommand, AddWithoutANameShowsWhatToType) {
  run({"ticket-key", "add"});
  EXPECT_EQ(status_, 2);
  EXPECT_TRUE(said_.starts_with("ratingctl: ticket-key add requires an argument.\nUsage: "))
      << said_;
}

TEST_F(TicketKeyCommand, AddWithWrongArgumentsHasTheirExitStatus) {
  run({"ticket-key", "add", "a b"});
  EXPECT_EQ(status_, 2);
  for (const char* const flag : {"rights", "sent-by"}) {
    run({"ticket-key", "add", "app"}, {{flag, "root"}});
    EXPECT_EQ(status_, 2) << flag;
  }
}

TEST_F(TicketKeyCommand, AddWithAPublicKeyPrintsNoSecret) {
  EXPECT_EQ(run({"ticket-key", "add", "app"}, {{"public-key", file("app.pem", kPublicKey)}}), "");
  ASSERT_EQ(keys().size(), 1U);
  EXPECT_EQ(keys().front().algorithm, TicketAlgorithm::es256);
  EXPECT_EQ(keys().front().key, base::p256_public_key(kPublicKey).value());
}

TEST_F(TicketKeyCommand, AddRefusesOtherKeysAndNames) {
  const std::vector<std::string> add = {"ticket-key", "add", "app"};
  expect_refusal(add, {{"public-key", file("private.pem", "-----BEGIN PRIVATE KEY-----\nMFkw\n")}},
                 "private.pem: it has a private key");
  expect_refusal(add, {{"public-key", file("text", "key")}}, "it has no public key in PEM");
  expect_refusal(add, {{"public-key", "/nowhere"}}, "/nowhere cannot be read");
  expect_refusal(
      add, {{"rights", "administer,root"}},
      "--rights must be a list, separated by commas, of administer,see_persons,see_unpublished");
  expect_refusal({"ticket-key", "add", "a b"}, {}, "1 to 64 characters of A-Z");
  expect_refusal({"ticket-key", "add", "wordpress"}, {}, "choose another name");
}

TEST_F(TicketKeyCommand, SecondKeyOfANameTakesOverRightsAndFlags) {
  const TicketKey first = add("shop", 3);
  run({"ticket-key", "add", "shop"}, {{"public-key", file("shop.pem", kPublicKey)}});
  ASSERT_EQ(keys().size(), 2U);
  EXPECT_EQ(keys()[1].rights, first.rights);
  EXPECT_TRUE(keys()[1].is_of_cms_users);
  EXPECT_NE(keys()[1].key, first.key);
  identity::remove_ticket_key(config_.secret_file, keys()[1]);
  add("shop", 1);
  expect_refusal({"ticket-key", "add", "shop"}, {}, "there are two keys");
}

TEST_F(TicketKeyCommand, SecondKeyOfANameIsTheNewerAlsoWithinASecond) {
  run({"ticket-key", "add", "shop"});
  run({"ticket-key", "add", "shop"});
  ASSERT_EQ(keys().size(), 2U);
  EXPECT_LT(keys()[0].added, keys()[1].added);
  const TicketKey newer = keys()[1];
  run({"ticket-key", "remove", "shop"}, {{"older", "yes"}});
  EXPECT_EQ(keys(), std::vector{newer});
}

TEST_F(TicketKeyCommand, SecondKeyOfANameMayHaveOtherRights) {
  add("shop", 3);
  run({"ticket-key", "add", "shop"}, {{"rights", "administer"}, {"cms-users", "yes"}});
  ASSERT_EQ(keys().size(), 2U);
  EXPECT_EQ(identity::names_of(keys()[1].rights), "administer");
}

TEST_F(TicketKeyCommand, ListShowsAllButTheKeys) {
  EXPECT_TRUE(has(run({"ticket-key", "list"}), "has no ticket keys"));
  const TicketKey key = add("shop", 3);
  const std::string list = run({"ticket-key", "list"});
  EXPECT_EQ(list, "shop                 HS256 added " + base::to_rfc3339(key.added) +
                      " (3 days ago): see_persons, cms-users, sent by a server\n");
}

TEST_F(TicketKeyCommand, RemoveNeverGuessesWhichOfTwo) {
  const TicketKey newer = add("shop", 1);
  const TicketKey older = add("shop", 9);
  const std::vector<std::string> remove = {"ticket-key", "remove", "shop"};
  expect_refusal(remove, {}, "Choose one with --older or --added TIME.");
  run(remove, {{"older", "yes"}});
  EXPECT_EQ(keys(), std::vector{newer});
  expect_refusal(remove, {{"older", "yes"}}, "Leave out --older to remove it.");
  expect_refusal(remove, {{"added", base::to_rfc3339(older.added)}}, "no key \"shop\" was added");
  run(remove);
  EXPECT_TRUE(keys().empty());
  expect_refusal(remove, {}, "there is no ticket key \"shop\"");
}

TEST_F(TicketKeyCommand, RemoveTakesTheTimeThatTheListShows) {
  const TicketKey older = add("shop", 9);
  const TicketKey newer = add("shop", 1);
  run({"ticket-key", "remove", "shop"}, {{"added", base::to_rfc3339(newer.added)}});
  EXPECT_EQ(keys(), std::vector{older});
}

TEST_F(TicketKeyCommand, DoctorShowsEachKeyWithItsAge) {
  EXPECT_TRUE(findings_at_doctor().empty());
  add("shop", 365);
  const auto findings = findings_at_doctor();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].health, cms::Health::ok);
  EXPECT_TRUE(std::regex_match(findings[0].message.text(),
                               std::regex(R"(shop \(HS256\), added \S+Z, 365 days ago)")))
      << findings[0].message.text();
}

TEST_F(TicketKeyCommand, DoctorWarnsOfOldKeys) {
  add("shop", 366);
  const auto findings = findings_at_doctor();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].health, cms::Health::warn);
  EXPECT_TRUE(has(findings[0].message.text(), "Rotating a ticket key"));
}

TEST_F(TicketKeyCommand, DoctorWarnsOfAReplacedKeyThatIsStillValid) {
  add("shop", 90);
  add("shop", 31);
  const auto findings = findings_at_doctor();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].health, cms::Health::warn);
  EXPECT_TRUE(has(findings[0].message.text(), "ticket-key remove shop --older --secret-file /"));
  EXPECT_EQ(findings[1].health, cms::Health::ok);
}

}  // namespace
