#include "limit/login_guard.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/clock.h"

namespace {

using limit::KnownLogins;
using limit::Limiter;
using limit::LoginGuard;
using support::kNow;
using namespace std::chrono_literals;

class LoginGuardTest : public testing::Test {
 protected:
  // Repeats a failing login until the guard requires a wait, but at most "tries" times. Returns the
  // number of failed logins.
  int failures_of(const std::string& network, const std::string& user, int tries,
                  base::Time now = kNow) {
    int failures = 0;
    while (failures < tries && guard_.wait({network, user, user}, now).time == 0s) {
      guard_.failed({network, user, user}, now);
      ++failures;
    }
    return failures;
  }

  // Causes 300 failed logins as "user": ten from each of thirty networks.
  void attack(const std::string& user) {
    for (int i = 0; i < 30; ++i) failures_of("attacker " + std::to_string(i), user, 10);
  }

  const std::unique_ptr<Limiter::Table> limits_ = std::make_unique<Limiter::Table>();
  const std::unique_ptr<KnownLogins::Table> logins_ = std::make_unique<KnownLogins::Table>();
  Limiter limiter_{*limits_};
  KnownLogins known_{*logins_};
  LoginGuard guard_{limiter_, known_};
};

TEST_F(LoginGuardTest, TenFailuresOfANetworkAndUserIn5Minutes) {
  EXPECT_EQ(failures_of("net", "admin", 100), 10);
  EXPECT_EQ(guard_.wait({"net", "admin", "admin"}, kNow).time, 30s);
  EXPECT_EQ(guard_.wait({"net", "editor", "editor"}, kNow).time, 0s);
  EXPECT_EQ(guard_.wait({"other net", "admin", "admin"}, kNow).time, 0s);
  EXPECT_EQ(failures_of("net", "admin", 100, kNow + 30s), 1);
  EXPECT_EQ(failures_of("net", "admin", 100, kNow + 6min), 10);
}

TEST_F(LoginGuardTest, ThirtyFailuresOfANetworkIn5Minutes) {
  int failures = 0;
  for (int i = 0; i < 100; ++i) failures += failures_of("net", "user " + std::to_string(i), 1);
  EXPECT_EQ(failures, 30);
  EXPECT_EQ(guard_.wait({"net", "somebody else", "somebody else"}, kNow).time, 10s);
  EXPECT_EQ(guard_.wait({"other net", "user 1", "user 1"}, kNow).time, 0s);
}

TEST_F(LoginGuardTest, ThreeHundredFailuresOfAUserInAnHourFromWherever) {
  attack("admin");
  EXPECT_EQ(guard_.wait({"stranger", "admin", "admin"}, kNow).time, 12s);
  EXPECT_EQ(guard_.wait({"stranger", "editor", "editor"}, kNow).time, 0s);
  EXPECT_EQ(guard_.wait({"stranger", "admin", "admin"}, kNow + 12s).time, 0s);
}

TEST_F(LoginGuardTest, ThirtyCookiesOfANetworkIn5MinutesWhateverItsPasswords) {
  failures_of("net", "admin", 10);
  int failures = 0;
  for (; guard_.wait_for_cookie("net", kNow).time == 0s; ++failures)
    guard_.cookie_failed("net", kNow);
  EXPECT_EQ(failures, 30);
  EXPECT_EQ(guard_.wait_for_cookie("net", kNow).time, 10s);
  EXPECT_EQ(guard_.wait_for_cookie("other net", kNow).time, 0s);
  EXPECT_EQ(guard_.wait({"net", "editor", "editor"}, kNow).time, 0s);
}

TEST_F(LoginGuardTest, UnknownNetworksDoNotLockOutAKnownOne) {
  guard_.succeeded({"home", "admin", "admin"}, kNow - std::chrono::days(29));
  attack("admin");
  EXPECT_EQ(guard_.wait({"home", "admin", "admin"}, kNow).time, 0s);
  EXPECT_EQ(guard_.wait({"stranger", "admin", "admin"}, kNow).time, 12s);
}

TEST_F(LoginGuardTest, ANetworkThatHasLoggedInIsStillSlowedByItsOwnFailures) {
  guard_.succeeded({"home", "admin", "admin"}, kNow);
  EXPECT_EQ(failures_of("home", "admin", 100), 10);
}

TEST_F(LoginGuardTest, SuccessesCostNothing) {
  for (int i = 0; i < 1000; ++i) guard_.succeeded({"home", "admin", "admin"}, kNow);
  EXPECT_EQ(failures_of("home", "admin", 100), 10);
}

TEST_F(LoginGuardTest, FailuresAtTheSameTimeArePaidBackByTime) {
  // Simulates a hundred concurrent logins, all of which called wait() before the first one failed.
  for (int i = 0; i < 100; ++i) guard_.failed({"net", "admin", "admin"}, kNow);
  EXPECT_EQ(guard_.wait({"net", "admin", "admin"}, kNow).time, 91 * 30s);
}

TEST_F(LoginGuardTest, NetworkAndUserAreNotMixedUp) {
  EXPECT_EQ(failures_of("net", "1admin", 10), 10);
  EXPECT_EQ(guard_.wait({"net1", "admin", "admin"}, kNow).time, 0s);
}

TEST(KnownLogins, AreKnownForThirtyDays) {
  const auto table = std::make_unique<KnownLogins::Table>();
  KnownLogins known(*table);
  EXPECT_FALSE(known.contains("home", "admin", kNow));
  known.add("home", "admin", kNow);
  EXPECT_TRUE(known.contains("home", "admin", kNow + std::chrono::days(30)));
  EXPECT_FALSE(known.contains("home", "admin", kNow + std::chrono::days(31)));
  EXPECT_FALSE(known.contains("home", "editor", kNow));
  EXPECT_FALSE(known.contains("elsewhere", "admin", kNow));
}

TEST(KnownLogins, AnotherLoginKeepsThemKnown) {
  const auto table = std::make_unique<KnownLogins::Table>();
  KnownLogins known(*table);
  known.add("home", "admin", kNow);
  known.add("home", "admin", kNow + std::chrono::days(20));
  EXPECT_TRUE(known.contains("home", "admin", kNow + std::chrono::days(40)));
}

TEST(KnownLogins, TheOldestOfNineNetworksIsEvicted) {
  const auto table = std::make_unique<KnownLogins::Table>();
  KnownLogins known(*table);
  for (int i = 0; i < 9; ++i) known.add(std::to_string(i), "admin", kNow + i * 1h);
  EXPECT_FALSE(known.contains("0", "admin", kNow + 9h));
  for (int i = 1; i < 9; ++i) EXPECT_TRUE(known.contains(std::to_string(i), "admin", kNow + 9h));
}

TEST(KnownLogins, OneAccountDoesNotPushOutAnothers) {
  const auto table = std::make_unique<KnownLogins::Table>();
  table->key.words[0] = 1;  // so that the two users do not share a bucket by chance
  KnownLogins known(*table);
  known.add("home", "admin", kNow);
  for (int i = 0; i < 100'000; ++i) known.add(std::to_string(i), "subscriber", kNow + 1h);
  EXPECT_TRUE(known.contains("home", "admin", kNow));
}

}  // namespace
