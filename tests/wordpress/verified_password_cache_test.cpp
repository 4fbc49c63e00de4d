#include "wordpress/verified_password_cache.h"

#include <gtest/gtest.h>

#include "support/clock.h"

namespace {

using support::kNow;
using wordpress::VerifiedPasswordCache;

TEST(VerifiedPasswordCache, EntryLivesHalfAMinuteAfterItsLastUse) {
  VerifiedPasswordCache memory("key");
  EXPECT_FALSE(memory.contains("password", "stored", kNow));
  memory.fill("password", "stored", kNow);
  EXPECT_TRUE(memory.contains("password", "stored", kNow));
  EXPECT_TRUE(memory.contains("password", "stored", kNow + std::chrono::seconds(29)));
  EXPECT_TRUE(memory.contains("password", "stored", kNow + std::chrono::seconds(58)));
  EXPECT_FALSE(memory.contains("password", "stored", kNow + std::chrono::seconds(88)));
}

TEST(VerifiedPasswordCache, EntryDependsOnTheStoredHash) {
  VerifiedPasswordCache memory("key");
  memory.fill("password", "stored", kNow);
  EXPECT_FALSE(memory.contains("password", "changed", kNow));
  EXPECT_FALSE(memory.contains("passwords", "tored", kNow));
  EXPECT_FALSE(memory.contains("Password", "stored", kNow));
}

TEST(VerifiedPasswordCache, HoldsManyAndEvictsTheRest) {
  VerifiedPasswordCache memory("key");
  for (int i = 0; i < 10'000; ++i) memory.fill(std::to_string(i), "stored", kNow);
  EXPECT_TRUE(memory.contains("9999", "stored", kNow));
  int known = 0;
  for (int i = 0; i < 10'000; ++i) known += memory.contains(std::to_string(i), "stored", kNow);
  EXPECT_LE(known, 256);
  EXPECT_GT(known, 200);
}

}  // namespace
