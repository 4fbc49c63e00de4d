#include "base/parse.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using base::parse_number;
using base::take_until;

TEST(ParseNumber, TakesAllOfTheTextOrNothing) {
  EXPECT_EQ(parse_number<int>("-42"), -42);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<std::uint64_t>("ff", 16), 255U);
  EXPECT_EQ(parse_number<double>("0.5"), 0.5);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "99999999999"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
}

TEST(TakeUntil, RemovesThePartAndItsSeparator) {
  std::string_view text = "a,b c,";
  EXPECT_EQ(take_until(text, ','), "a");
  EXPECT_EQ(take_until(text, ", "), "b");
  EXPECT_EQ(text, "c,");
  EXPECT_EQ(take_until(text, ';'), "c,");
  EXPECT_EQ(take_until(text, ';'), "");
  EXPECT_TRUE(text.empty());
}

}  // namespace
