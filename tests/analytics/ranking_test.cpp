#include "analytics/ranking.h"

#include <gtest/gtest.h>

namespace {

using analytics::Prior;
using analytics::Sums;
using model::Category;

std::int64_t bayesian(std::int64_t sum, std::int64_t total, const Prior& prior) {
  return analytics::figure_of(analytics::Metric::bayesian, Category::binary,
                              {.total = total, .sum = sum}, prior)
      .value;
}

std::int64_t wilson(Category category, const Sums& sums) {
  return analytics::figure_of(analytics::Metric::wilson, category, sums, {}).value;
}

TEST(RankingQuery, BayesianLiesBetweenTheObjectsMeanAndTheSites) {
  const Prior prior{.sum = 500'000, .total = 1000, .weight = 10};  // a mean of 0.5
  EXPECT_EQ(bayesian(1000, 1, prior), 5455);                       // (1 + 5) / 11
  EXPECT_EQ(bayesian(100'000, 100, prior), 9545);                  // (100 + 5) / 110
  EXPECT_EQ(bayesian(0, 10, prior), 2500);
}

TEST(RankingQuery, BayesianWithoutWeightIsTheMean) {
  EXPECT_EQ(bayesian(2000, 3, {.sum = 1, .total = 7, .weight = 0}), 6667);
  EXPECT_EQ(bayesian(-2000, 3, {}), -6667);
}

TEST(RankingQuery, BayesianOfAnEmptySiteLeansToZero) {
  EXPECT_EQ(bayesian(1000, 1, {.sum = 0, .total = 0, .weight = 1}), 5000);
}

TEST(RankingQuery, BayesianHoldsNumbersOfABusySite) {
  const Prior prior{.sum = 900'000'000'000, .total = 1'000'000'000, .weight = 1000};
  EXPECT_EQ(bayesian(400'000'000'000, 500'000'000, prior), 8000);
}

TEST(RankingQuery, WilsonIsTheLowerBound) {
  EXPECT_EQ(wilson(Category::scale, {.total = 1, .sum = 1000}), 2065);
  EXPECT_EQ(wilson(Category::scale, {.total = 10, .sum = 10'000}), 7225);
  EXPECT_EQ(wilson(Category::scale, {.total = 10, .sum = 5000}), 2366);
  EXPECT_EQ(wilson(Category::scale, {.total = 100, .sum = 90'000}), 8256);
}

TEST(RankingQuery, WilsonWithoutSuccessIsZero) {
  EXPECT_EQ(wilson(Category::scale, {.total = 1, .sum = 0}), 0);
  EXPECT_EQ(wilson(Category::scale, {.total = 1'000'000, .sum = 0}), 0);
}

TEST(RankingQuery, WilsonTakesFractionsOfASuccess) {
  EXPECT_EQ(wilson(Category::scale, {.total = 10, .sum = 7500}), 4422);
}

TEST(RankingQuery, WilsonLeavesNeutralRatingsOut) {
  const Sums sums{.total = 100, .sum = 10'000, .positive = 10};
  EXPECT_EQ(wilson(Category::bipolar, sums), 7225);
  EXPECT_EQ(wilson(Category::bipolar, {.total = 5}), 0);
  EXPECT_EQ(wilson(Category::binary, {.total = 10, .sum = 10'000, .positive = 10}), 7225);
}

}  // namespace
