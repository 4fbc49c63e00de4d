#include "model/averages.h"

#include <gtest/gtest.h>

namespace {

using model::Category;

model::Totals totals_of(Category category, std::initializer_list<model::Thousandths> values) {
  model::Totals totals;
  for (const model::Thousandths value : values) {
    totals.sum += value;
    ++totals.bins[model::bin_of(category, value)];
  }
  return totals;
}

TEST(Stats, NoVotesHaveNoAverage) { EXPECT_EQ(model::average({}), std::nullopt); }

TEST(Stats, AverageIsExactToTenThousandths) {
  EXPECT_EQ(model::average(totals_of(Category::scale, {700})), 7000);
  EXPECT_EQ(model::average(totals_of(Category::binary, {1000, 1000, 0})), 6667);
  EXPECT_EQ(model::average(totals_of(Category::binary, {1000, 0, 0})), 3333);
}

TEST(Stats, AverageIsRoundedHalvesAwayFromZero) {
  model::Totals eighths;  // an average of 0.00005, then of -0.00005
  eighths.bins[0] = 20;
  eighths.sum = 1;
  EXPECT_EQ(model::average(eighths), 1);
  eighths.sum = -1;
  EXPECT_EQ(model::average(eighths), -1);
}

TEST(Stats, BipolarCountsItsThreeValues) {
  const model::Totals totals = totals_of(Category::bipolar, {1000, 1000, 0, -1000, -1000, -1000});
  EXPECT_EQ(model::positive(totals), 2);
  EXPECT_EQ(model::neutral(totals), 1);
  EXPECT_EQ(model::negative(totals), 3);
  EXPECT_EQ(model::average(totals), -1667);
}

TEST(Stats, ScaleValuesCountAtTheirNearestTenthHalvesUp) {
  EXPECT_EQ(model::bin_of(Category::scale, 0), 0U);
  EXPECT_EQ(model::bin_of(Category::scale, 49), 0U);
  EXPECT_EQ(model::bin_of(Category::scale, 50), 1U);
  EXPECT_EQ(model::bin_of(Category::scale, 949), 9U);
  EXPECT_EQ(model::bin_of(Category::scale, 950), 10U);
  EXPECT_EQ(model::bin_of(Category::scale, 1000), 10U);
}

}  // namespace
