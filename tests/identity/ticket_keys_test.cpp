// Tests ticket keys in lib/identity/ticket_key.h and lib/identity/secrets.h.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/crypto.h"
#include "base/text.h"
#include "identity/secrets.h"

namespace {

using identity::TicketAlgorithm;
using identity::TicketKey;

const std::string kSecret = "abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE";  // 43 characters
const std::string kPoint(64, '\x01');  // has the right length; Tickets checks the curve

std::chrono::sys_seconds day(int n) {
  return std::chrono::sys_days(std::chrono::year(2026) / 11 / 22) + std::chrono::days(n);
}

TicketKey key_named(const std::string& name, int added = 0) {
  TicketKey key;
  key.name = name;
  key.key = kSecret;
  key.added = day(added);
  return key;
}

TEST(TicketKeyLine, HasNameAlgorithmTimeRightsFlagsAndKey) {
  TicketKey key = key_named("shop.example-1_a");
  EXPECT_EQ(text_of(key), "shop.example-1_a hs256 2026-11-22T00:00:00Z " + kSecret);
  key.rights.add(model::Right::administer);
  key.rights.add(model::Right::see_persons);
  key.may_forward = true;
  key.is_of_cms_users = true;
  key.is_sent_by_browsers = true;
  EXPECT_EQ(text_of(key),
            "shop.example-1_a hs256 2026-11-22T00:00:00Z rights=administer,see_persons may-forward "
            "cms-users sent-by-browsers " +
                kSecret);
  EXPECT_EQ(identity::parse_ticket_key(text_of(key)), key);
  key.algorithm = TicketAlgorithm::es256;
  key.key = kPoint;
  EXPECT_TRUE(text_of(key).ends_with(" cms-users sent-by-browsers " + base::to_base64url(kPoint)));
  EXPECT_EQ(identity::parse_ticket_key(text_of(key)), key);
}

TEST(TicketKeyLine, OfAnyOtherFormIsRefusedWithoutTheKey) {
  const std::string time = "2026-11-22T00:00:00Z ";
  for (const std::string& line : {
           std::string(),
           std::string("shop"),
           "shop hs256 " + kSecret,
           " hs256 " + time + kSecret,
           "sh/op hs256 " + time + kSecret,
           std::string(65, 'a') + " hs256 " + time + kSecret,
           "shop none " + time + kSecret,
           "shop HS256 " + time + kSecret,
           "shop  hs256 " + time + kSecret,
           "shop hs256 2026-11-22 " + kSecret,
           "shop hs256 2026-11-22T00:00:00.5Z " + kSecret,
           "shop hs256 " + time + "rights= " + kSecret,
           "shop hs256 " + time + "rights=administer, " + kSecret,
           "shop hs256 " + time + "rights=root " + kSecret,
           "shop hs256 " + time + "cms-users may-forward " + kSecret,
           "shop hs256 " + time + "may-forward may-forward " + kSecret,
           "shop hs256 " + time + "sent-by-browsers cms-users " + kSecret,
           "shop hs256 " + time + "may-forward",
           "shop hs256 " + time + kSecret + " ",
           "shop hs256 " + time + kSecret + "\r",
           "shop hs256 " + time + kSecret.substr(0, 31),
           "shop hs256 " + time + std::string(257, 'a'),
           "shop es256 " + time + kSecret,
           "shop es256 " + time + base::to_base64url(kPoint) + "=",
           "shop es256 " + time + base::to_base64url(kPoint + "a"),
       }) {
    const auto key = identity::parse_ticket_key(line);
    ASSERT_FALSE(key) << line;
    EXPECT_FALSE(key.error().empty());
    EXPECT_EQ(key.error().find(kSecret.substr(0, 20)), std::string::npos) << key.error();
  }
  EXPECT_TRUE(identity::parse_ticket_key("shop hs256 " + time + kSecret.substr(0, 32)));
}

TEST(TicketKeyLine, NewSecretsAre43CharactersOfBase64Url) {
  const std::string secret = identity::new_shared_secret();
  EXPECT_EQ(secret.size(), 43U);
  EXPECT_TRUE(base::consists_of_letters_digits_and(secret, "-_"));
  EXPECT_NE(secret, identity::new_shared_secret());
}

TEST(TicketKeyRights, AreAListWithCommas) {
  EXPECT_EQ(identity::rights_named("administer,see_persons,see_unpublished"), model::Rights::all());
  EXPECT_EQ(identity::names_of(model::Rights::all()), "administer,see_persons,see_unpublished");
  EXPECT_EQ(identity::names_of({}), "");
  for (const char* wrong : {"", ",", "administer,", ",administer", "Administer", "a b"}) {
    EXPECT_EQ(identity::rights_named(wrong), std::nullopt) << wrong;
  }
}

class TicketKeys : public ::testing::Test {
 protected:
  TicketKeys() { identity::make_secret(file_); }
  ~TicketKeys() override { std::filesystem::remove(file_); }

  std::string text() const {
    std::ifstream stream(file_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // Adds "key" and returns the message of the exception.
  std::string refusal(const TicketKey& key) const {
    try {
      identity::add_ticket_key(file_, key);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }

  const std::filesystem::path file_ = std::filesystem::path(::testing::TempDir()) /
                                      ("ticket_keys_" + base::to_hex(base::random_bytes(8)));
};

TEST_F(TicketKeys, AreAddedAndRemovedBesideTheSecrets) {
  std::filesystem::permissions(file_, std::filesystem::perms(0440));
  const std::string before = text();
  EXPECT_TRUE(identity::read_secret_file(file_).ticket_keys.empty());
  identity::add_ticket_key(file_, key_named("shop"));
  identity::add_ticket_key(file_, key_named("app"));
  EXPECT_EQ(text(), before + "ticket-key shop hs256 2026-11-22T00:00:00Z " + kSecret +
                        "\nticket-key app hs256 2026-11-22T00:00:00Z " + kSecret + "\n");
  EXPECT_EQ(identity::read_secret_file(file_).ticket_keys,
            (std::vector{key_named("shop"), key_named("app")}));
  identity::remove_ticket_key(file_, key_named("shop"));
  EXPECT_THROW(identity::remove_ticket_key(file_, key_named("shop")), std::runtime_error);
  identity::remove_ticket_key(file_, key_named("app"));
  EXPECT_EQ(text(), before + "removed-ticket-key shop\nremoved-ticket-key app\n");
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0440));
}

TEST_F(TicketKeys, NamesThatNoKeyHasAnyLongerAreRemembered) {
  identity::add_ticket_key(file_, key_named("shop"));
  identity::add_ticket_key(file_, key_named("shop", 1));
  identity::remove_ticket_key(file_, key_named("shop"));
  EXPECT_TRUE(identity::read_secret_file(file_).removed_ticket_keys.empty());
  identity::remove_ticket_key(file_, key_named("shop", 1));
  EXPECT_EQ(identity::read_secret_file(file_).removed_ticket_keys,
            std::vector<std::string>{"shop"});
  identity::rotate_secret(file_);
  EXPECT_EQ(identity::read_secret_file(file_).removed_ticket_keys,
            std::vector<std::string>{"shop"});
  identity::add_ticket_key(file_, key_named("shop", 2));
  EXPECT_TRUE(identity::read_secret_file(file_).removed_ticket_keys.empty());
}

TEST_F(TicketKeys, OfRemovedNamesTheLast64AreRemembered) {
  for (int i = 0; i < 66; ++i) {
    const TicketKey key = key_named("key" + std::to_string(i));
    identity::add_ticket_key(file_, key);
    identity::remove_ticket_key(file_, key);
  }
  const auto names = identity::read_secret_file(file_).removed_ticket_keys;
  ASSERT_EQ(names.size(), 64U);
  EXPECT_EQ(names.front(), "key2");
  EXPECT_EQ(names.back(), "key65");
}

TEST_F(TicketKeys, OfOneNameAreAtMostTwo) {
  identity::add_ticket_key(file_, key_named("shop"));
  identity::add_ticket_key(file_, key_named("shop", 1));
  EXPECT_NE(refusal(key_named("shop", 2)).find("ticket-key remove shop --older"),
            std::string::npos);
  EXPECT_EQ(identity::read_secret_file(file_).ticket_keys.size(), 2U);
}

TEST_F(TicketKeys, OfOneNameAgreeOnWhoTheVisitorsAre) {
  TicketKey key = key_named("shop");
  identity::add_ticket_key(file_, key);
  key.is_of_cms_users = true;
  EXPECT_NE(refusal(key).find("users of the CMS"), std::string::npos);
}

TEST_F(TicketKeys, AreAllKeptWhenSeveralProgramsAddThem) {
  constexpr int kPrograms = 16;
  std::vector<std::thread> programs;
  for (int i = 0; i < kPrograms; ++i) {
    programs.emplace_back([&, i] {
      identity::add_ticket_key(
          file_, {.name = "shop" + std::to_string(i), .key = identity::new_shared_secret()});
    });
  }
  for (std::thread& program : programs) program.join();
  EXPECT_EQ(identity::read_secret_file(file_).ticket_keys.size(), std::size_t{kPrograms});
}

TEST_F(TicketKeys, AreAtMost64) {
  for (int i = 0; i < 64; ++i) identity::add_ticket_key(file_, key_named(std::to_string(i)));
  EXPECT_NE(refusal(key_named("more")).find("at most 64"), std::string::npos);
  EXPECT_EQ(identity::read_secret_file(file_).ticket_keys.size(), 64U);
}

TEST_F(TicketKeys, DoNotHaveTheNameOfTheCmssOwnKey) {
  EXPECT_NE(refusal(key_named("wordpress")).find("choose another name"), std::string::npos);
}

TEST(SecretFileText, NamesTheLineThatIsWrongAndNoKey) {
  const std::string secret(64, 'a');
  const std::string good =
      secret + "\nticket-key shop hs256 2026-11-22T00:00:00Z " + kSecret + "\n";
  ASSERT_TRUE(identity::parse_secret_file(good));
  for (const std::string& line :
       {"ticket-key shop hs256 " + kSecret, std::string("ticket-key"), "Ticket-key a " + kSecret,
        "ticket-key wordpress hs256 2026-11-22T00:00:00Z " + kSecret, std::string(),
        std::string("# comment")}) {
    const auto content = identity::parse_secret_file(good + line + "\n" + secret + "\n");
    ASSERT_FALSE(content) << line;
    EXPECT_TRUE(content.error().starts_with("line 3: ")) << content.error();
    EXPECT_EQ(content.error().find(kSecret), std::string::npos) << content.error();
  }
}

TEST(SecretFileText, MayHaveItsLinesInAnyOrder) {
  const std::string text = "ticket-key shop hs256 2026-11-22T00:00:00Z " + kSecret +
                           "\ndevice-token " + std::string(64, 'b') + "\n" + std::string(64, 'a');
  const auto content = identity::parse_secret_file(text);
  ASSERT_TRUE(content) << content.error();
  EXPECT_EQ(content->ticket_keys.size(), 1U);
  EXPECT_EQ(content->secrets.size(), 1U);
  EXPECT_EQ(identity::parse_secret_file(text_of(*content)), *content);
}

}  // namespace
