#include "identity/used_tickets.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/clock.h"

namespace {

using identity::UsedTickets;
using support::kNow;
using Use = UsedTickets::Use;

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

// The web server may send the request again to another worker.
TEST_F(UsedTicketsTest, CountAgainForTheSameRequest) {
  EXPECT_EQ(used_.use(kIssuer, "ticket", "request", kNow), Use::allowed);
  EXPECT_EQ(UsedTickets(*table_).use(kIssuer, "ticket", "request", kNow + std::chrono::seconds(2)),
            Use::allowed);
  EXPECT_EQ(used_.use(kIssuer, "ticket", "another", kNow), Use::used);
}

// This is also true when the counter of seconds wraps.
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

// A busy issuer must not make the CMS's own plugin fail.
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
  // There are so few tickets that no bucket of eight gets a ninth ticket with any key.
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
    // Old entries of all ages can be replaced in any place.
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
