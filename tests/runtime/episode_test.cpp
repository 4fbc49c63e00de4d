#include "runtime/episode.h"

#include <gtest/gtest.h>

namespace runtime {
namespace {

using namespace std::chrono_literals;

TEST(Episode, BeginsOnceHoweverOftenTheConditionComesBack) {
  Episode episode(1h);
  EXPECT_FALSE(episode.note_absence());
  EXPECT_TRUE(episode.note());
  EXPECT_FALSE(episode.note());
  EXPECT_FALSE(episode.note_absence());  // too short
  EXPECT_FALSE(episode.note());
}

TEST(Episode, EndsOnceAfterAQuietTime) {
  Episode episode(0ms);
  EXPECT_TRUE(episode.note());
  EXPECT_TRUE(episode.note_absence());
  EXPECT_FALSE(episode.note_absence());
  EXPECT_TRUE(episode.note());
}

}  // namespace
}  // namespace runtime
