#include "api/answer_cache.h"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

const base::Time kNow{1000s};

api::Answer answer(const char* body) {
  api::Answer answer;
  answer.body = body;
  return answer;
}

TEST(AnswerCache, AnswerOfASlowRequestDoesNotReplaceALaterOne) {
  api::AnswerCache cache;
  cache.keep("a", answer("later"), kNow + 2s);
  cache.keep("a", answer("earlier"), kNow);
  ASSERT_TRUE(cache.find("a", kNow));
  EXPECT_EQ(cache.find("a", kNow)->body, "later");
  cache.keep("a", answer("last"), kNow + 3s);
  EXPECT_EQ(cache.find("a", kNow)->body, "last");
}

TEST(AnswerCache, OldestMakesRoom) {
  api::AnswerCache cache;
  for (std::size_t i = 0; i <= api::AnswerCache::kMaxAnswers; ++i) {
    cache.keep(std::to_string(i), answer("x"), kNow + i * 1s);
  }
  EXPECT_FALSE(cache.find("0", kNow - 1s));
  EXPECT_TRUE(cache.find("1", kNow - 1s));
}

}  // namespace
