#include "model/decimal.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace model {
namespace {

Decimal number(std::string_view text) {
  const auto parsed = parse_decimal(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(Decimal());
}

std::optional<Thousandths> share(std::string_view value, std::string_view maximum = "1") {
  return thousandths_of(number(value), number(maximum));
}

TEST(Decimal, ReadsWhatPeopleWrite) {
  EXPECT_EQ(number("4"), (Decimal{false, "4", 1}));
  EXPECT_EQ(number("0.8"), (Decimal{false, "8", 0}));
  EXPECT_EQ(number("-1"), (Decimal{true, "1", 1}));
  EXPECT_EQ(number("120"), (Decimal{false, "12", 3}));
  EXPECT_EQ(number("0.0005"), (Decimal{false, "5", -3}));
}

TEST(Decimal, OneNumberHasOneForm) {
  for (const auto* text :
       {"+5", "5.", "5.000", "005", "0.5e1", "50e-1", "5E+0", "500E-02", ".5e1"}) {
    EXPECT_EQ(number(text), number("5")) << text;
  }
  for (const auto* text : {"-0", "+0", "0.000", "-0e30", ".0", "0."}) {
    EXPECT_EQ(number(text), Decimal()) << text;
  }
}

TEST(Decimal, RefusesWhatIsNoDecimal) {
  for (const auto* text :
       {"",          "+",     "-",    ".",  "-.",  "e5",    ".e5",   "NaN",     "nan", "Infinity",
        "-Infinity", "INF",   "0x10", "1e", "1e+", "1e+-1", "1e1.5", "1.2.3",   "--1", "+-1",
        "1,5",       "1_000", " 1",   "1 ", "1\n", "12abc", "true",  "\xD9\xA3"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_decimal(std::string_view("1\0", 2)), std::nullopt);
}

TEST(Decimal, RefusesExponentsBeyondThirty) {
  EXPECT_EQ(to_integer(number("1e-30")), std::nullopt);
  EXPECT_GT(number("1e30"), number("999e26"));
  for (const auto* text : {"1e31", "1e-31", "1e999", "1e-999", "0e31", "1e99999999999999999999"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
}

TEST(Decimal, RefusesMoreThanSixtyFourCharacters) {
  EXPECT_EQ(number(std::string(63, '0') + "1"), number("1"));
  EXPECT_EQ(parse_decimal(std::string(64, '0') + "1"), std::nullopt);
}

TEST(Decimal, ComparesEveryDigit) {
  const std::string almost_one = "0." + std::string(50, '9');
  const std::string over_one = "1." + std::string(50, '0') + "1";
  const std::vector<std::string> ascending = {
      "-1e30", "-10.5",  "-10",          "-9",   "-0.1",  "-0.01", "0",
      "1e-30", "0.09",   "0.1",          "0.12", "0.123", "0.2",   almost_one,
      "1",     over_one, over_one + "1", "9",    "10",    "1e30"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(number(ascending[i]) <=> number(ascending[j]), i <=> j)
          << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(Decimal, IsMadeOfIntegers) {
  for (const std::int64_t integer :
       {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1200},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(decimal_of(integer), number(std::to_string(integer)));
    EXPECT_EQ(to_integer(decimal_of(integer)), integer);
  }
}

TEST(Decimal, WholeNumbersAreIntegersHoweverWritten) {
  for (const auto* text : {"123", "123.0", "1.23e2", "12300e-2", "+123"}) {
    EXPECT_EQ(to_integer(number(text)), 123) << text;
  }
  EXPECT_EQ(to_integer(number("-0")), 0);
  EXPECT_EQ(to_integer(number("9223372036854775807")), 9223372036854775807);
  EXPECT_EQ(to_integer(number("-9223372036854775808")), std::numeric_limits<std::int64_t>::min());
}

TEST(Decimal, FractionsAreNoIntegers) {
  for (const auto* text : {"0.5", "1.0001", "1e-1", "9007199254740993.5",
                           "1.0000000000000000000000000000000000000000000000000000000001"}) {
    EXPECT_FALSE(is_integer(number(text))) << text;
    EXPECT_EQ(to_integer(number(text)), std::nullopt) << text;
  }
}

TEST(Decimal, IntegersBeyondSixtyFourBitsDoNotFit) {
  for (const auto* text :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e19", "1e30"}) {
    EXPECT_TRUE(is_integer(number(text))) << text;
    EXPECT_EQ(to_integer(number(text)), std::nullopt) << text;
  }
}

TEST(Decimal, IsWrittenWithoutAnExponent) {
  for (const auto* text : {"0", "7", "-7", "120", "0.8", "-0.05", "12.5", "9223372036854775808"}) {
    EXPECT_EQ(to_text(number(text)), text);
  }
  EXPECT_EQ(to_text(number("1e3")), "1000");
  EXPECT_EQ(to_text(number("25e-4")), "0.0025");
  EXPECT_EQ(to_text(number("+05.50")), "5.5");
}

TEST(Thousandths, AreTheShareOfTheMaximum) {
  EXPECT_EQ(share("4", "5"), 800);
  EXPECT_EQ(share("0"), 0);
  EXPECT_EQ(share("-0"), 0);
  EXPECT_EQ(share("1"), 1000);
  EXPECT_EQ(share("0.8"), 800);
  EXPECT_EQ(share("7", "10"), 700);
  EXPECT_EQ(share("1", "3"), 333);
  EXPECT_EQ(share("2", "3"), 667);
  EXPECT_EQ(share("2.5", "2.5"), 1000);
  EXPECT_EQ(share("1000", "1000"), 1000);
}

TEST(Thousandths, HalvesGoUp) {
  EXPECT_EQ(share("0.0005"), 1);
  EXPECT_EQ(share("0.9995"), 1000);
  EXPECT_EQ(share("0.5", "1000"), 1);
  EXPECT_EQ(share("3", "2000"), 2);
}

TEST(Thousandths, LessThanAHalfGoesDownHoweverClose) {
  EXPECT_EQ(share("0.00049999999999999999999999999999999999999"), 0);
  EXPECT_EQ(share("0.00050000000000000000000000000000000000001"), 1);
  EXPECT_EQ(share("0.5", "1000.0000000000000000000000000000000000000001"), 0);
  EXPECT_EQ(share("1e-30"), 0);
}

TEST(Thousandths, AreNothingOutsideTheScale) {
  EXPECT_EQ(share("1.0001"), std::nullopt);
  EXPECT_EQ(share("1.00000000000000000000000000000000000000000001"), std::nullopt);
  EXPECT_EQ(share("-0.0001"), std::nullopt);
  EXPECT_EQ(share("6", "5"), std::nullopt);
  EXPECT_EQ(share("1e30", "1000"), std::nullopt);
}

TEST(Thousandths, AgreeWithIntegerDivision) {
  for (std::int64_t maximum = 1; maximum <= 1000; maximum += 37) {
    for (std::int64_t value = 0; value <= maximum; ++value) {
      EXPECT_EQ(thousandths_of(decimal_of(value), decimal_of(maximum)),
                (2000 * value + maximum) / (2 * maximum))
          << value << " of " << maximum;
    }
  }
}

TEST(ParseInteger, TakesDigitsAndZerosAsDecimals) {
  for (const char* text : {"5", "5.0", "5.00", "05"}) {
    EXPECT_EQ(parse_integer(text), decimal_of(5)) << text;
  }
  EXPECT_EQ(parse_integer("-5.0"), decimal_of(-5));
  EXPECT_EQ(to_integer(*parse_integer("9223372036854775807.0")), 9223372036854775807);
  for (const char* text : {"", "-", ".0", "5.", "5.1", "5.01", "5e0", "5.0e0", "+5", " 5", "5 ",
                           "0x5", "5.0.0", "NaN"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace model
