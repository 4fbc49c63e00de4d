#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/rating.h"

namespace model {

// An exact decimal number of the form 0.DIGITS * 10^point. For example, 0.8 is {"8", 0}, and 120 is
// {"12", 3}. Numbers with the same value have the same digits and point. "digits" neither begins
// nor ends with a zero, and the number zero has no digits.
struct Decimal {
  bool negative = false;
  std::string digits;
  int point = 0;

  bool operator==(const Decimal&) const = default;
  std::strong_ordering operator<=>(const Decimal& other) const;
};

inline constexpr std::size_t kMaxDecimalText = 64;
inline constexpr int kMaxExponent = 30;

// Parses a number in any format used by JSON, PHP or people, such as "4", "-0.80", "+1", ".5",
// "5.", "007" and "1e2". Returns nothing for other strings (NaN, Infinity, hexadecimal, white
// space), for strings longer than kMaxDecimalText, and for exponents outside the range from
// -kMaxExponent to kMaxExponent.
[[nodiscard]] std::optional<Decimal> parse_decimal(std::string_view text);

// Parses an integer of any size. Accepts "5.0", because some languages have no integer type.
// Returns nothing for other strings, such as "+5", "5." and "5e0", and for strings longer than
// kMaxDecimalText characters.
[[nodiscard]] std::optional<Decimal> parse_integer(std::string_view text);

[[nodiscard]] Decimal decimal_of(std::int64_t number);

// Returns whether "number" is an integer of any size. For example, 123.0 and 1.23e2 are integers.
[[nodiscard]] bool is_integer(const Decimal& number);

// Converts "number" to an integer. Returns nothing if "number" is not an integer or is out of the
// range of std::int64_t.
[[nodiscard]] std::optional<std::int64_t> to_integer(const Decimal& number);

// Formats the number like a JSON number without an exponent, such as "0.8" or "-120".
[[nodiscard]] std::string to_text(const Decimal& number);

// Converts "value" / "maximum" to thousandths, with halves rounded up. For example, a value of 4
// with a maximum of 5 results in 800. Returns nothing if "value" is below 0 or above "maximum".
// "maximum" must be greater than 0.
[[nodiscard]] std::optional<Thousandths> thousandths_of(const Decimal& value,
                                                        const Decimal& maximum);

// Converts the value of a vote in "category" to thousandths. The maximum value of each category is
// 1. Returns nothing if the value is not allowed in "category".
[[nodiscard]] std::optional<Thousandths> value_in(Category category, const Decimal& number);

}  // namespace model
