#include "analytics/by_id.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace {

using analytics::ById;

TEST(ById, HasWhatAMapHas) {
  std::mt19937_64 engine(3);  // NOLINT: the same each time
  std::map<std::uint64_t, std::int64_t> expected;
  ById<std::int64_t> values;
  EXPECT_EQ(values.find(1), nullptr);
  for (int i = 0; i < 20000; ++i) {
    // Neighbouring numbers, multiples of a power of two, and random numbers.
    const std::uint64_t number = engine() % 3000;
    const std::uint64_t id = i % 3 == 0 ? number : i % 3 == 1 ? number << 40U : engine();
    expected[id] += i;
    values[id] += i;
  }
  EXPECT_EQ(values.size(), expected.size());
  for (const auto& [id, value] : values) EXPECT_EQ(value, expected.at(id));
  for (const auto& [id, value] : expected) {
    ASSERT_NE(values.find(id), nullptr);
    EXPECT_EQ(*values.find(id), value);
  }
  EXPECT_EQ(values.find(3001), nullptr);
}

TEST(ById, EntriesAreInTheOrderInWhichTheyCame) {
  ById<int> values;
  for (const std::uint64_t id : {5U, 3U, 9U, 3U, 0U}) ++values[id];
  const std::vector<ById<int>::Entry> expected = {{5, 1}, {3, 2}, {9, 1}, {0, 1}};
  EXPECT_TRUE(std::ranges::equal(values, expected));
}

}  // namespace
