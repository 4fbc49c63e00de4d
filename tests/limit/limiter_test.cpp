#include "limit/limiter.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/clock.h"

namespace {

using limit::Class;
using limit::Decision;
using limit::Limiter;
using limit::Quota;
using std::chrono::microseconds;
using support::kNow;
using namespace std::chrono_literals;

constexpr Quota kWrite{300, 60s};

class LimiterTest : public testing::Test {
 protected:
  Decision take(base::Time now, const Quota& quota = kWrite) {
    return limiter_.take(Class::write, "192.0.2.1", quota, now);
  }
  Decision peek(base::Time now, const Quota& quota = kWrite) const {
    return limiter_.peek(Class::write, "192.0.2.1", quota, now);
  }
  // Returns how many of "tries" requests the limiter allows.
  int allowed_of(int tries, base::Time now, const Quota& quota = kWrite) {
    int allowed = 0;
    for (int i = 0; i < tries; ++i) allowed += take(now, quota).allowed ? 1 : 0;
    return allowed;
  }

  const std::unique_ptr<Limiter::Table> table_ = std::make_unique<Limiter::Table>();
  Limiter limiter_{*table_};
};

TEST_F(LimiterTest, LastOfTheQuotaIsAllowedAndTheNextRefused) {
  EXPECT_EQ(take(kNow), (Decision{true, 299, 0s, 200ms}));
  EXPECT_EQ(allowed_of(298, kNow), 298);
  EXPECT_EQ(take(kNow), (Decision{true, 0, 200ms, 60s}));
  EXPECT_EQ(take(kNow), (Decision{false, 0, 200ms, 60s}));
}

TEST_F(LimiterTest, RefusedRequestsCostNothing) {
  allowed_of(300, kNow);
  EXPECT_EQ(allowed_of(1000, kNow), 0);
  EXPECT_TRUE(take(kNow + 200ms).allowed);
}

TEST_F(LimiterTest, WhatIsGivenBackCanBeTakenAgain) {
  EXPECT_EQ(allowed_of(300, kNow), 300);
  limiter_.give_back(Class::write, "192.0.2.1", kWrite, kNow);
  EXPECT_EQ(allowed_of(300, kNow), 1);
}

TEST_F(LimiterTest, NoMoreThanTheQuotaCanBeGivenBack) {
  take(kNow);
  for (int i = 0; i < 3; ++i) limiter_.give_back(Class::write, "192.0.2.1", kWrite, kNow + 1s);
  limiter_.give_back(Class::write, "192.0.2.2", kWrite, kNow);
  EXPECT_EQ(allowed_of(400, kNow + 1s), 300);
}

TEST_F(LimiterTest, RefillsContinuously) {
  allowed_of(300, kNow);
  EXPECT_FALSE(take(kNow + 200ms - 1us).allowed);
  EXPECT_TRUE(take(kNow + 200ms).allowed);
  EXPECT_FALSE(take(kNow + 200ms).allowed);
  EXPECT_EQ(allowed_of(300, kNow + 30s), 149);
}

TEST_F(LimiterTest, IsWholeAfterTheWindowAndNeverMore) {
  allowed_of(300, kNow);
  EXPECT_EQ(allowed_of(1000, kNow + 60s), 300);
  EXPECT_EQ(allowed_of(1000, kNow + 24h), 300);
}

TEST_F(LimiterTest, RetryAfterIsTheFirstMomentThatIsAllowed) {
  constexpr Quota kUneven{7, 60s};
  EXPECT_EQ(allowed_of(8, kNow, kUneven), 7);
  const microseconds retry_after = take(kNow + 1s, kUneven).retry_after;
  EXPECT_FALSE(take(kNow + 1s + retry_after - 1us, kUneven).allowed);
  EXPECT_TRUE(take(kNow + 1s + retry_after, kUneven).allowed);
}

TEST_F(LimiterTest, QuotaThatDoesNotDivideTheWindowIsWholeAfterIt) {
  constexpr Quota kUneven{7, 60s};
  EXPECT_EQ(allowed_of(8, kNow, kUneven), 7);
  EXPECT_EQ(allowed_of(8, kNow + 60s, kUneven), 7);
}

TEST_F(LimiterTest, OneRequestADayIsCountedForADay) {
  constexpr Quota kDaily{1, 24h};
  EXPECT_EQ(take(kNow, kDaily), (Decision{true, 0, 24h, 24h}));
  EXPECT_FALSE(take(kNow + 24h - 1us, kDaily).allowed);
  EXPECT_TRUE(take(kNow + 24h, kDaily).allowed);
}

TEST_F(LimiterTest, PeekTakesNothing) {
  EXPECT_EQ(peek(kNow), (Decision{true, 300, 0s, 0s}));
  take(kNow);
  EXPECT_EQ(peek(kNow), (Decision{true, 299, 0s, 200ms}));
  EXPECT_EQ(peek(kNow), (Decision{true, 299, 0s, 200ms}));
  allowed_of(299, kNow);
  EXPECT_EQ(peek(kNow), (Decision{false, 0, 200ms, 60s}));
}

TEST_F(LimiterTest, WhatIsRecordedBeyondTheQuotaIsOwed) {
  constexpr Quota kLogin{10, 300s, 5};
  for (int i = 0; i < 13; ++i) limiter_.record(Class::write, "192.0.2.1", kLogin, kNow);
  EXPECT_EQ(peek(kNow, kLogin), (Decision{false, 0, 120s, 390s}));
  EXPECT_TRUE(peek(kNow + 120s, kLogin).allowed);
}

TEST_F(LimiterTest, NoMoreThanTheOverdraftIsOwed) {
  constexpr Quota kLogin{10, 300s, 5};
  for (int i = 0; i < 1000; ++i) limiter_.record(Class::write, "192.0.2.1", kLogin, kNow);
  EXPECT_EQ(peek(kNow, kLogin).retry_after, 6 * 30s);
}

TEST_F(LimiterTest, KeysAndClassesAreLimitedSeparately) {
  allowed_of(300, kNow);
  EXPECT_FALSE(take(kNow).allowed);
  EXPECT_EQ(limiter_.take(Class::write, "192.0.2.2", kWrite, kNow).remaining, 299U);
  EXPECT_EQ(limiter_.take(Class::read, "192.0.2.1", kWrite, kNow).remaining, 299U);
}

TEST_F(LimiterTest, TablesDoNotMeet) {
  const auto other_table = std::make_unique<Limiter::Table>();
  Limiter other(*other_table);
  allowed_of(300, kNow);
  EXPECT_EQ(other.take(Class::write, "192.0.2.1", kWrite, kNow).remaining, 299U);
}

TEST_F(LimiterTest, LimitersOnOneTableCountTogether) {
  Limiter second(*table_);
  take(kNow);
  EXPECT_EQ(second.take(Class::write, "192.0.2.1", kWrite, kNow).remaining, 298U);
}

TEST_F(LimiterTest, AnEarlierRequestThatComesLateIsCounted) {
  allowed_of(300, kNow);
  EXPECT_FALSE(take(kNow - 1s).allowed);
}

TEST_F(LimiterTest, AClockSetBackDoesNotShutKeysOut) {
  allowed_of(300, kNow);
  EXPECT_EQ(allowed_of(1000, kNow - 1h), 300);
}

TEST_F(LimiterTest, AKeyThatComesBackAfterMonthsIsFree) {
  allowed_of(300, kNow);
  for (const auto away : {24h, 30 * 24h, 49 * 24h, 52 * 24h, 400 * 24h}) {
    EXPECT_EQ(peek(kNow + away).remaining, 300U) << away.count() << " hours";
  }
}

TEST_F(LimiterTest, AShorterWindowHoldsWithinTwoOfIt) {
  constexpr Quota kHourly{1, 1h};
  constexpr Quota kMinutely{1, 60s};
  take(kNow, kHourly);
  EXPECT_TRUE(take(kNow, kMinutely).allowed);
  take(kNow + 1h, {1, 100s});
  EXPECT_FALSE(take(kNow + 1h, kMinutely).allowed);
  EXPECT_TRUE(take(kNow + 1h + 100s, kMinutely).allowed);
}

TEST_F(LimiterTest, AMillionAddressesDoNotEvictABusyOne) {
  static_assert(sizeof(Limiter::Table) <= (4U << 20U) + 64);  // the table does not allocate
  constexpr int kAddresses = 1'000'000;
  int allowed = allowed_of(300, kNow);
  int others_refused = 0;
  for (int i = 0; i < kAddresses; ++i) {  // within a second
    const base::Time now = kNow + microseconds(i);
    const auto decision = limiter_.take(Class::write, "net " + std::to_string(i), kWrite, now);
    others_refused += decision.allowed ? 0 : 1;
    if (i % 1000 == 0) allowed += take(now).allowed ? 1 : 0;
  }
  EXPECT_EQ(allowed, 300 + 4);  // one request each 200 ms
  EXPECT_EQ(others_refused, 0);
}

// Tests a single-bucket table, in which new keys replace old keys.
class SmallLimiterTest : public testing::Test {
 protected:
  static constexpr int kCells = 7;

  void take(const std::string& key, int times) {
    for (int i = 0; i < times; ++i) limiter_.take(Class::write, key, kWrite, kNow);
  }
  std::uint32_t remaining(const std::string& key, base::Time now = kNow) const {
    return limiter_.peek(Class::write, key, kWrite, now).remaining;
  }

  base::SharedKey key_{{1, 2}};  // not random, so that the test does not depend on equal tags
  Limiter::Bucket bucket_{};
  Limiter limiter_{key_, {&bucket_, 1}};
};

TEST_F(SmallLimiterTest, ThereIsRoomForSeven) {
  for (int i = 0; i < kCells; ++i) take("key " + std::to_string(i), i + 1);
  for (int i = 0; i < kCells; ++i) {
    EXPECT_EQ(remaining("key " + std::to_string(i)), 300U - static_cast<unsigned>(i) - 1U) << i;
  }
}

TEST_F(SmallLimiterTest, TheLeastUsedKeyIsEvicted) {
  for (int i = 0; i < kCells; ++i) take("key " + std::to_string(i), 10 - i);
  take("new", 1);
  EXPECT_EQ(remaining("new"), 299U);
  EXPECT_EQ(remaining("key 6"), 300U);
  EXPECT_EQ(remaining("key 5"), 295U);
}

TEST_F(SmallLimiterTest, ANewKeyIsEvictedBeforeMoreUsedOnes) {
  for (int i = 0; i < kCells; ++i) take("key " + std::to_string(i), 100);
  for (int i = 0; i < 1000; ++i) take("passer-by " + std::to_string(i), 1);
  int forgotten = 0;
  for (int i = 0; i < kCells; ++i)
    forgotten += remaining("key " + std::to_string(i)) == 300 ? 1 : 0;
  EXPECT_EQ(forgotten, 1);
}

TEST_F(SmallLimiterTest, WhatIsLeftOfAClockSetBackGivesWayFirst) {
  const base::Time wrong = kNow + std::chrono::days(10);
  for (int i = 0; i < kCells; ++i) {
    limiter_.take(Class::write, "wrong " + std::to_string(i), kWrite, wrong);
  }
  for (int i = 0; i < kCells; ++i) take("key " + std::to_string(i), 1);
  for (int i = 0; i < kCells; ++i) EXPECT_EQ(remaining("key " + std::to_string(i)), 299U) << i;
}

TEST_F(SmallLimiterTest, WhatAKilledWriterBeganIsCompletedByTheNext) {
  take("before", 1);
  // Simulate a worker that was killed after it changed the bucket's "arrival" word but before it
  // changed the cell.
  bucket_.arrival = std::uint64_t{0x2A} << 42U | 8U | 3U;
  take("after", 1);
  EXPECT_EQ(bucket_.cells[3] >> 42U, 0x2AU);
  EXPECT_EQ(remaining("before"), 299U);
  EXPECT_EQ(remaining("after"), 299U);
}

}  // namespace
