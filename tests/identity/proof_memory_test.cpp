#include "identity/proof_memory.h"

#include <gtest/gtest.h>

namespace {

using identity::ProofMemory;

constexpr base::Time kNow{std::chrono::seconds(1'000'000)};

TEST(ProofMemory, KnowsWhatItWasToldForHalfAMinuteAfterItWasLastAsked) {
  ProofMemory memory("key");
  EXPECT_FALSE(memory.contains("password", "stored", kNow));
  memory.remember("password", "stored", kNow);
  EXPECT_TRUE(memory.contains("password", "stored", kNow));
  EXPECT_TRUE(memory.contains("password", "stored", kNow + std::chrono::seconds(29)));
  EXPECT_TRUE(memory.contains("password", "stored", kNow + std::chrono::seconds(58)));
  EXPECT_FALSE(memory.contains("password", "stored", kNow + std::chrono::seconds(88)));
}

TEST(ProofMemory, TheStoredTextBelongsToTheProof) {
  ProofMemory memory("key");
  memory.remember("password", "stored", kNow);
  EXPECT_FALSE(memory.contains("password", "changed", kNow));
  EXPECT_FALSE(memory.contains("passwords", "tored", kNow));
  EXPECT_FALSE(memory.contains("Password", "stored", kNow));
}

TEST(ProofMemory, HoldsManyAndForgetsTheRest) {
  ProofMemory memory("key");
  for (int i = 0; i < 10'000; ++i) memory.remember(std::to_string(i), "stored", kNow);
  EXPECT_TRUE(memory.contains("9999", "stored", kNow));
  int known = 0;
  for (int i = 0; i < 10'000; ++i) known += memory.contains(std::to_string(i), "stored", kNow);
  EXPECT_LE(known, 256);
  EXPECT_GT(known, 200);
}

}  // namespace
