#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/rating.h"

namespace model {

// An exact decimal number: 0.DIGITS * 10^point. 0.8 is {"8", 0}, 120 is {"12", 3}. The form is
// unique: no zeros at either end of the digits, and zero is the default value.
struct Decimal {
  bool negative = false;
  std::string digits;
  int point = 0;

  bool operator==(const Decimal&) const = default;
  std::strong_ordering operator<=>(const Decimal& other) const;
};

inline constexpr std::size_t kMaxDecimalText = 64;
inline constexpr int kMaxExponent = 30;

// Parses a number as written in JSON, by people and by PHP: "4", "-0.80", "+1", ".5", "5.", "007",
// "1e2". Nothing for other text (NaN, Infinity, hexadecimal, white space), for more than
// kMaxDecimalText characters, or for an exponent beyond +-kMaxExponent, which no vote needs.
[[nodiscard]] std::optional<Decimal> parse_decimal(std::string_view text);

// Parses a whole number as programs write it: "5", "-5", and "5.0" of languages that have only one
// type for numbers. Exact for any size. Nothing for other text, such as "+5", "5." and "5e0", and
// for more than kMaxDecimalText characters.
[[nodiscard]] std::optional<Decimal> parse_integer(std::string_view text);

[[nodiscard]] Decimal decimal_of(std::int64_t number);

// Whether it is a whole number (123.0 and 1.23e2 are), of any size.
[[nodiscard]] bool is_integer(const Decimal& number);

// The same number; nothing if it is not a whole one or does not fit.
[[nodiscard]] std::optional<std::int64_t> to_integer(const Decimal& number);

// The number as JSON writes it, without an exponent: "0.8", "-120".
[[nodiscard]] std::string to_text(const Decimal& number);

// "value" as a share of "maximum", rounded to thousandths, halves up: 4 of 5 is 800. Nothing if
// value is below 0 or above maximum. REQUIRES: maximum > 0.
[[nodiscard]] std::optional<Thousandths> thousandths_of(const Decimal& value,
                                                        const Decimal& maximum);

// "number" as a value of "category", whose maximum is 1; nothing if the category does not have it.
[[nodiscard]] std::optional<Thousandths> value_in(Category category, const Decimal& number);

}  // namespace model
