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
}  // namespace model
