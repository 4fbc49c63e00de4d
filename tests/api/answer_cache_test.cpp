#include <gtest/gtest.h>

#include "handlers/analysis.h"
#include "support/clock.h"

namespace {

using support::kNow;
using namespace std::chrono_literals;

api::Answer answer(const char* body) {
  api::Answer answer;
  answer.body = body;
  return answer;
}

TEST(AnswerCache, SlowRequestDoesNotReplaceANewerAnswer) {
  api::AnswerCache cache;
  cache.fill("a", answer("later"), kNow + 2s);
  cache.fill("a", answer("earlier"), kNow);
  ASSERT_TRUE(cache.find("a", kNow, 10s));
  EXPECT_EQ(cache.find("a", kNow, 10s)->body, "later");
  cache.fill("a", answer("last"), kNow + 3s);
  EXPECT_EQ(cache.find("a", kNow, 10s)->body, "last");
}

TEST(AnswerCache, AnswerHasItsLife) {
  api::AnswerCache cache;
  cache.fill("a", answer("x"), kNow);
  EXPECT_TRUE(cache.find("a", kNow + 9s, 10s));
  EXPECT_FALSE(cache.find("a", kNow + 10s, 10s));
  EXPECT_FALSE(cache.find("a", kNow, 0s));
}

TEST(AnswerCache, AnswersOfAClockThatWasAheadAreForgotten) {
  api::AnswerCache cache;
  for (std::size_t i = 0; i < api::AnswerCache::kMaxAnswers; ++i) {
    cache.fill(std::to_string(i), answer("ahead"), kNow + 1h);
  }
  EXPECT_FALSE(cache.find("0", kNow, 10s));
  cache.fill("0", answer("x"), kNow);
  cache.fill("new", answer("y"), kNow);
  ASSERT_TRUE(cache.find("0", kNow, 10s));
  EXPECT_EQ(cache.find("0", kNow, 10s)->body, "x");
  EXPECT_TRUE(cache.find("new", kNow, 10s));
}

TEST(AnswerCache, OldestMakesRoom) {
  api::AnswerCache cache;
  for (std::size_t i = 0; i <= api::AnswerCache::kMaxAnswers; ++i) {
    cache.fill(std::to_string(i), answer("x"), kNow + i * 1s);
  }
  EXPECT_FALSE(cache.find("0", kNow, 100s));
  EXPECT_TRUE(cache.find("1", kNow, 100s));
}

}  // namespace
