#include "analytics/rating_filter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace {

using analytics::DayRange;
using namespace std::chrono_literals;

const base::Day kNewYear = std::chrono::year(2026) / 1 / 1;

TEST(Slices, HaveEachDayOnceInItsOrder) {
  for (const int length : {1, 32, 33, 365}) {
    const base::Day last = kNewYear + std::chrono::days(length - 1);
    base::Day next = kNewYear;
    EXPECT_TRUE(analytics::in_slices({kNewYear, last}, 1min, [&](const DayRange& slice) {
      EXPECT_EQ(slice.first, next);
      EXPECT_LE(slice.first, slice.last);
      next = slice.last + std::chrono::days(1);
    }));
    EXPECT_EQ(next, last + std::chrono::days(1)) << length;
  }
}

TEST(Slices, EndAtTheTimeLimit) {
  EXPECT_FALSE(analytics::in_slices({kNewYear, kNewYear + std::chrono::days(364)}, -1ms,
                                    [](const DayRange&) { FAIL() << "no time is left"; }));
}

}  // namespace
