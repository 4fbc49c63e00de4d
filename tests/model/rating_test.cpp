#include "model/rating.h"

#include <gtest/gtest.h>

namespace model {
namespace {

TEST(Rating, CategoriesAreFoundByTheirNames) {
  for (const Category category : kCategories) {
    EXPECT_EQ(category_named(name_of(category)), category);
  }
  EXPECT_EQ(name_of(Category::bipolar), "bipolar");
  EXPECT_EQ(category_named("Binary"), std::nullopt);
  EXPECT_EQ(category_named(""), std::nullopt);
}

TEST(Rating, ObjectTypesAreLowerCased) {
  EXPECT_EQ(parse_object_type("My:Type_1.x-y"), "my:type_1.x-y");
  EXPECT_EQ(parse_object_type(std::string(64, 'A')), std::string(64, 'a'));
  for (const std::string& text : {std::string(), std::string(65, 'a'), std::string("a b"),
                                  std::string("a\0", 2), std::string("\xC3\xA9")}) {
    EXPECT_EQ(parse_object_type(text), std::nullopt) << text;
  }
}

TEST(Rating, BinaryAndBipolarValuesHaveBinsOfTheirOwn) {
  EXPECT_EQ(bin_of(Category::binary, 0), 0U);
  EXPECT_EQ(bin_of(Category::binary, 1000), 10U);
  EXPECT_EQ(bin_of(Category::bipolar, -1000), 0U);
  EXPECT_EQ(bin_of(Category::bipolar, 0), 5U);
  EXPECT_EQ(bin_of(Category::bipolar, 1000), 10U);
}

TEST(Rating, ScaleValuesCountAtTheirNearestTenthHalvesUp) {
  EXPECT_EQ(bin_of(Category::scale, 0), 0U);
  EXPECT_EQ(bin_of(Category::scale, 49), 0U);
  EXPECT_EQ(bin_of(Category::scale, 50), 1U);
  EXPECT_EQ(bin_of(Category::scale, 149), 1U);
  EXPECT_EQ(bin_of(Category::scale, 150), 2U);
  EXPECT_EQ(bin_of(Category::scale, 949), 9U);
  EXPECT_EQ(bin_of(Category::scale, 950), 10U);
  EXPECT_EQ(bin_of(Category::scale, 1000), 10U);
}

TEST(Rating, TotalIsTheSumOfAllBins) {
  Totals totals;
  EXPECT_EQ(totals.total(), 0);
  totals.bins[0] = 1;
  totals.bins[5] = 20;
  totals.bins[10] = 300;
  EXPECT_EQ(totals.total(), 321);
}

TEST(Rating, TheHighestBitMarksAnonymousVoters) {
  EXPECT_FALSE(is_anonymous(1));
  EXPECT_FALSE(is_anonymous(kMaxObjectId));
  EXPECT_TRUE(is_anonymous(kAnonymousBit));
  EXPECT_TRUE(is_anonymous(~VoterId{0}));
}

}  // namespace

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

}  // namespace model
