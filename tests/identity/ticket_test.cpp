#include "identity/ticket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/crypto.h"
#include "base/text.h"
#include "support/clock.h"
#include "support/tests_folder.h"
#include "support/wordpress_vectors.h"

namespace {

using identity::TicketAlgorithm;
using identity::TicketKey;
using identity::Tickets;
using identity::UsedTickets;
using support::kNow;
using Use = UsedTickets::Use;

const json::Value& file() {
  static const json::Value content = [] {
    return json::parse(support::text_in_tests("fixtures/ticket_vectors.json")).value();
  }();
  return content;
}

model::Rights rights_in(const json::Value& object) {
  model::Rights rights;
  for (const json::Value& name : vectors::array(object, "rights")) {
    rights.add(model::right_named(std::get<std::string>(name.data)).value());
  }
  return rights;
}

std::vector<std::string> strings(const json::Value::Array& array) {
  std::vector<std::string> texts;
  for (const json::Value& item : array) texts.push_back(std::get<std::string>(item.data));
  return texts;
}

std::vector<TicketKey> keys_of_vectors() {
  std::vector<TicketKey> keys;
  for (const json::Value& value : vectors::array(file(), "keys")) {
    TicketKey key;
    key.name = vectors::text(value, "name");
    const bool is_shared = vectors::text(value, "algorithm") == "HS256";
    key.algorithm = is_shared ? TicketAlgorithm::hs256 : TicketAlgorithm::es256;
    key.key = is_shared ? vectors::text(value, "secret")
                        : base::p256_public_key(vectors::text(value, "public_key")).value();
    key.rights = rights_in(value);
    key.may_forward = value.find("may_forward") != nullptr;
    key.is_of_cms_users = value.find("cms_users") != nullptr;
    keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> audiences_of(const json::Value& vector) {
  return strings(
      vectors::array(vector.find("audiences") != nullptr ? vector : file(), "audiences"));
}

// Returns the accepted ticket described by a test vector.
identity::Ticket ticket_in(const json::Value& vector, const std::vector<TicketKey>& keys) {
  const json::Value& ticket = vectors::member(vector, "ticket");
  identity::Ticket expected;
  expected.visitor = {vectors::text(ticket, "issuer"), vectors::text(ticket, "subject")};
  expected.rights = rights_in(ticket);
  expected.is_of_cms_users =
      std::ranges::find(keys, expected.visitor.issuer, &TicketKey::name)->is_of_cms_users;
  if (ticket.find("address") != nullptr) {
    expected.address = base::Address::parse(vectors::text(ticket, "address"));
  }
  if (ticket.find("request") != nullptr) {
    expected.binding = {vectors::text(ticket, "request"), {}, vectors::text(ticket, "jti")};
    for (const std::string& hash : strings(vectors::array(ticket, "body"))) {
      expected.binding->body.push_back(base::from_base64url(hash).value());
    }
  }
  return expected;
}

TEST(TicketVectors, AreJudgedAsByAnotherImplementation) {
  const auto keys = keys_of_vectors();
  const Tickets tickets(keys);
  const base::Time now = vectors::time(file(), "now");
  std::size_t count = 0;
  std::set<std::string> verdicts;
  for (const json::Value& vector : vectors::array(file(), "vectors")) {
    const std::string& name = vectors::text(vector, "name");
    const std::string& verdict = vectors::text(vector, "verdict");
    const auto ticket = tickets.check(vectors::text(vector, "token"), audiences_of(vector), now);
    ++count;
    verdicts.insert(verdict);
    EXPECT_EQ(ticket ? "accepted" : ticket.error().reason, verdict) << name;
    if (!ticket || verdict != "accepted") continue;
    EXPECT_EQ(*ticket, ticket_in(vector, keys)) << name;
  }
  EXPECT_GE(count, 200U);
  EXPECT_EQ(verdicts.size(), 12U);  // each reason that needs no request, and "accepted"
}

TEST(TicketVectors, AreRefusedWithASentenceThatRepeatsNothingOfTheToken) {
  const auto keys = keys_of_vectors();
  const Tickets tickets(keys);
  const base::Time now = vectors::time(file(), "now");
  for (const json::Value& vector : vectors::array(file(), "vectors")) {
    const auto ticket = tickets.check(vectors::text(vector, "token"), audiences_of(vector), now);
    if (ticket) continue;
    const std::string& message = ticket.error().message;
    EXPECT_TRUE(message.ends_with('.')) << message;
    for (const char* foreign : {"visitor-1", "shop", "root", "nobody", "nonsense"}) {
      EXPECT_EQ(message.find(foreign), std::string::npos) << message;
    }
  }
}

// --- Tickets without test vectors ---------------------------------------------------------------

const std::string kWeakSecret(43, 's');
const std::vector<std::string> kSite = {"https://example.org/"};

TicketKey shop() {
  TicketKey key;
  key.name = "shop";
  key.key = kWeakSecret;
  return key;
}

std::string token_with(const std::string& claims, const std::string& secret = kWeakSecret) {
  const std::string text =
      base::to_base64url(R"({"alg":"HS256"})") + "." + base::to_base64url(claims);
  return text + "." + base::to_base64url(base::hmac_sha256(secret, text));
}

std::string claims(const std::string& iss, const std::string& more = "") {
  return R"({"iss":")" + iss +
         R"(","sub":"7","aud":"https://example.org","iat":1795000000,"exp":1795000060)" + more +
         "}";
}

TEST(Ticket, ProvesTheVisitorThatItsIssuerNames) {
  const auto ticket = Tickets({shop()}).check(token_with(claims("shop")), kSite, kNow);
  ASSERT_TRUE(ticket) << ticket.error().message;
  EXPECT_EQ(ticket->visitor, (model::FrontEndVisitor{"shop", "7"}));
  EXPECT_TRUE(ticket->rights.is_empty());
  EXPECT_FALSE(ticket->is_of_cms_users);
  EXPECT_EQ(ticket->address, std::nullopt);
}

TEST(Ticket, IsValidUntilTheSecondInWhichItsLeewayEnds) {
  const Tickets tickets({shop()});
  const std::string token = token_with(claims("shop"));
  const base::Time end = kNow + std::chrono::seconds(120);
  EXPECT_TRUE(tickets.check(token, kSite, end - std::chrono::microseconds(1)));
  EXPECT_EQ(tickets.check(token, kSite, end).error().reason, "expired");
}

TEST(Ticket, ThatIsBoundIsValidFor30SecondsBeforeAndAfterItsTime) {
  const Tickets tickets({shop()});
  const std::string bound = R"(,"request":"GET /settings","jti":"0123456789abcdef","body":[])";
  const std::string token = token_with(claims("shop", bound));
  const auto ticket = tickets.check(token, kSite, kNow);
  ASSERT_TRUE(ticket) << ticket.error().message;
  EXPECT_EQ(ticket->binding, (identity::TicketBinding{"GET /settings", {}, "0123456789abcdef"}));
  const auto verdict = [&](int seconds) -> std::string {
    const auto then = tickets.check(token, kSite, kNow + std::chrono::seconds(seconds));
    return then ? "accepted" : std::string(then.error().reason);
  };
  EXPECT_EQ(verdict(-31), "not_yet_valid");
  EXPECT_EQ(verdict(-30), "accepted");
  EXPECT_EQ(verdict(30), "accepted");
  EXPECT_EQ(verdict(31), "expired");
}

TEST(SignedBody, IsAllPiecesInTheirOrderAndNoMore) {
  const std::string a = "a", b = "b";
  const identity::TicketBinding both{"", {base::sha256(a), base::sha256(b)}, ""};
  const auto takes = [&](const std::vector<std::string>& pieces) {
    identity::SignedBody body(both);
    return std::ranges::all_of(
        pieces, [&](const std::string& piece) { return body.continues_with(piece); });
  };
  EXPECT_TRUE(takes({a, b, ""}));
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{b}, {a, a}, {a, b, a}, {a, ""}, {""}, {a + b}}) {
    EXPECT_FALSE(takes(other));
  }
}

TEST(Ticket, HasTheRightsOfTheKeyThatVerifiesIt) {
  TicketKey older = shop();
  older.rights = model::Rights::all();
  TicketKey newer = shop();
  newer.key = std::string(43, 'n');
  newer.rights.add(model::Right::see_persons);
  const Tickets tickets({older, newer});
  const std::string wanted = claims("shop", R"(,"rights":["administer","see_persons"])");
  const auto by_older = tickets.check(token_with(wanted), kSite, kNow);
  ASSERT_TRUE(by_older);
  EXPECT_TRUE(by_older->rights.has(model::Right::administer));
  const auto by_newer = tickets.check(token_with(wanted, newer.key), kSite, kNow);
  ASSERT_TRUE(by_newer);
  EXPECT_EQ(by_newer->rights, newer.rights);
}

TEST(Ticket, WithoutAnyKeyIsOfAnUnknownIssuer) {
  const auto ticket = Tickets({}).check(token_with(claims("shop")), kSite, kNow);
  EXPECT_EQ(ticket.error().reason, "unknown_issuer");
}

// The signature is checked before the claims, so that a sender without the key cannot learn how
// claims are checked.
TEST(Ticket, IsNotJudgedByItsClaimsBeforeItsSignature) {
  const Tickets tickets({shop()});
  for (const char* more : {R"(,"rights":["root"])", R"(,"nbf":9999999999)", R"(,"rights":5)"}) {
    const std::string text = claims("shop", more);
    EXPECT_EQ(tickets.check(token_with(text, "another"), kSite, kNow).error().reason,
              "bad_signature");
    EXPECT_NE(tickets.check(token_with(text), kSite, kNow).error().reason, "bad_signature");
  }
}

// If an invalid token contains the name of a current or former key, the token is rejected rather
// than ignored.
TEST(TicketOfOurs, IsAnyTokenThatNamesAKeyThatWeHaveOrHad) {
  const Tickets tickets({shop()}, {"old"});
  for (const std::string& token :
       {token_with(claims("shop")), token_with(claims("shop"), "another"),
        token_with(claims("shop")) + ".", token_with(claims("shop")) + std::string(5000, 'a')}) {
    EXPECT_EQ(tickets.key_named_in(token), "shop") << token;
  }
  EXPECT_EQ(tickets.key_named_in(token_with(claims("old"))), "old");
  EXPECT_EQ(tickets.check(token_with(claims("old")), kSite, kNow).error().reason, "removed_key");
  for (const std::string& foreign :
       {token_with(claims("other")), token_with("{}"), token_with(R"({"iss":["shop"]})"),
        token_with("[]"), std::string("ghp_0123456789"), std::string(), std::string(5000, 'a')}) {
    EXPECT_EQ(tickets.key_named_in(foreign), "") << foreign;
  }
}

TEST(TicketOfOurs, MayBeNamedByTheHeader) {
  const Tickets tickets({shop()}, {"old"});
  const auto token = [](const std::string& header) {
    return base::to_base64url(header) + "." + base::to_base64url(claims("other")) + ".";
  };
  EXPECT_EQ(tickets.key_named_in(token(R"({"kid":"shop"})")), "shop");
  EXPECT_EQ(tickets.key_named_in(token(R"({"kid":"old"})")), "old");
  EXPECT_EQ(tickets.key_named_in(token(R"({"kid":"other"})")), "");
  EXPECT_EQ(tickets.key_named_in(token(R"({"kid":7})")), "");
}

TEST(Tickets, RefuseAKeyThatIsNoPointOfTheCurve) {
  TicketKey key = shop();
  key.algorithm = TicketAlgorithm::es256;
  key.key = std::string(64, '\x01');
  try {
    const Tickets tickets({key});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "ticket key \"shop\": its key is not valid; remove it and add it again");
  }
}

TEST(Tickets, MayBeCheckedByManyThreads) {
  const Tickets tickets(keys_of_vectors());
  const base::Time now = vectors::time(file(), "now");
  const auto& all = vectors::array(file(), "vectors");
  std::atomic<std::size_t> accepted = 0;
  const auto check_all = [&] {
    for (const json::Value& vector : all) {
      const auto ticket = tickets.check(vectors::text(vector, "token"), audiences_of(vector), now);
      accepted += ticket ? 1U : 0U;
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) threads.emplace_back(check_all);
  }
  const auto expected = std::ranges::count_if(all, [](const json::Value& vector) {
    return vectors::text(vector, "verdict") == "accepted";
  });
  EXPECT_EQ(accepted, 4 * static_cast<std::size_t>(expected));
}

constexpr std::string_view kIssuer = "shop";

class UsedTicketsTest : public ::testing::Test {
 protected:
  const std::unique_ptr<UsedTickets::Table> table_ = std::make_unique<UsedTickets::Table>();
  UsedTickets used_{*table_};
};

TEST_F(UsedTicketsTest, CountOnceForAllProcesses) {
  UsedTickets other_process(*table_);
  EXPECT_EQ(used_.use(kIssuer, "ticket", "request", kNow), Use::allowed);
  EXPECT_EQ(used_.use(kIssuer, "ticket", "another", kNow), Use::used);
  EXPECT_EQ(other_process.use(kIssuer, "ticket", "another", kNow), Use::used);
  EXPECT_EQ(other_process.use(kIssuer, "another ticket", "another", kNow), Use::allowed);
}

TEST_F(UsedTicketsTest, CountOnceForEachIssuer) {
  for (const std::string_view issuer : {"shop", "app", "wordpress"}) {
    EXPECT_EQ(used_.use(issuer, "ticket", "request", kNow), Use::allowed) << issuer;
  }
  EXPECT_EQ(used_.use("wordpress", "ticket", "another", kNow), Use::used);
}

// A used ticket is accepted again for the same request, because the web server may send the request
// to a second worker.
TEST_F(UsedTicketsTest, CountAgainForTheSameRequest) {
  EXPECT_EQ(used_.use(kIssuer, "ticket", "request", kNow), Use::allowed);
  EXPECT_EQ(UsedTickets(*table_).use(kIssuer, "ticket", "request", kNow + std::chrono::seconds(2)),
            Use::allowed);
  EXPECT_EQ(used_.use(kIssuer, "ticket", "another", kNow), Use::used);
}

// Used tickets are remembered even if the 12-bit time in the table wraps around.
TEST_F(UsedTicketsTest, AreRememberedForAsLongAsTheyAreValid) {
  for (int second = 0; second < 5000; second += 7) {
    const base::Time used_at = kNow + std::chrono::seconds(second);
    const std::string nonce = "ticket " + std::to_string(second);
    EXPECT_EQ(used_.use(kIssuer, nonce, "request", used_at), Use::allowed) << second;
    for (const int later : {-1, 1, 30, 60, 90}) {
      EXPECT_EQ(used_.use(kIssuer, nonce, "another", used_at + std::chrono::seconds(later)),
                Use::used)
          << second << " " << later;
    }
  }
}

TEST_F(UsedTicketsTest, MakeRoomForOthersWhenTheyAreOld) {
  constexpr int kHours = 240;
  constexpr int kPerHour = 200;  // more tickets than the table can hold, in all hours
  for (int hour = 0; hour < kHours; ++hour) {
    for (int i = 0; i < kPerHour; ++i) {
      const std::string name = std::to_string(hour) + " " + std::to_string(i);
      ASSERT_EQ(used_.use(kIssuer, name, name, kNow + std::chrono::hours(hour)), Use::allowed)
          << name;
    }
  }
}

TEST_F(UsedTicketsTest, AreRefusedButNotForgottenWithoutRoom) {
  std::vector<std::string> used;
  bool is_full = false;
  for (int i = 0; i < 100'000; ++i) {
    const std::string nonce = std::to_string(i);
    const Use use = used_.use(kIssuer, nonce, "request", kNow);
    ASSERT_NE(use, Use::used) << nonce;
    if (use == Use::allowed) used.push_back(nonce);
    is_full = is_full || use == Use::no_room;
  }
  EXPECT_TRUE(is_full);
  EXPECT_GT(used.size(), 30'000U);
  for (const std::string& nonce : used)
    ASSERT_EQ(used_.use(kIssuer, nonce, "another", kNow), Use::used);
}

// Tickets from the CMS plugin must be accepted even if another issuer fills the table of used
// tickets.
TEST_F(UsedTicketsTest, OfTheCmsHaveRoomOfTheirOwn) {
  const auto fill = [&](std::string_view issuer) {
    int refused = 0;
    for (int i = 0; i < 100'000; ++i) {
      refused += used_.use(issuer, std::to_string(i), "request", kNow) == Use::no_room ? 1 : 0;
    }
    return refused;
  };
  EXPECT_GT(fill("shop"), 60'000);
  EXPECT_EQ(used_.use("app", "ticket", "request", kNow), Use::no_room);
  // With 1000 tickets, none of the table's buckets (eight tickets each) fills up.
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(used_.use("wordpress", "plugin " + std::to_string(i), "request", kNow), Use::allowed)
        << i;
  }
  EXPECT_EQ(used_.use("wordpress", "plugin 1", "another", kNow), Use::used);
}

TEST_F(UsedTicketsTest, CountOnceIfManyThreadsUseThemAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kTickets = 5000;
  std::vector<std::atomic<int>> allowed(kTickets);
  std::barrier together(kThreads);
  const auto use_all = [&](int thread) {
    UsedTickets own(*table_);
    // Each thread uses a different current time.
    const base::Time now = kNow + std::chrono::seconds(thread);
    for (int i = 0; i < kTickets; ++i) {
      if (i % 100 == 0) together.arrive_and_wait();
      const Use use = own.use(kIssuer, std::to_string(i), std::to_string(thread), now);
      allowed[static_cast<std::size_t>(i)] += use == Use::allowed ? 1 : 0;
    }
  };
  for (int i = 0; i < 8 * 4096; ++i) {
    const std::string old = "old " + std::to_string(i);
    static_cast<void>(used_.use(kIssuer, old, old, kNow - std::chrono::seconds(88 + i % 4)));
  }
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(use_all, thread);
  }
  for (const auto& count : allowed) ASSERT_LE(count, 1);
}

}  // namespace
