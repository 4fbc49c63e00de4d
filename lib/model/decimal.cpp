#include "model/decimal.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "base/text.h"

namespace model {
namespace {

int sign_of(const Decimal& number) {
  if (number.digits.empty()) return 0;
  return number.negative ? -1 : 1;
}

// Removes leading and trailing zeros.
Decimal normalized(Decimal number) {
  const std::size_t first = std::min(number.digits.find_first_not_of('0'), number.digits.size());
  number.digits.erase(0, first);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);  // npos + 1 is 0
  if (number.digits.empty()) return {};
  number.point -= static_cast<int>(first);
  return number;
}

Decimal times(Decimal number, unsigned factor) {
  unsigned carry = 0;
  for (std::size_t i = number.digits.size(); i-- > 0;) {
    carry += static_cast<unsigned>(number.digits[i] - '0') * factor;
    number.digits[i] = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  const std::string overflow = std::to_string(carry);
  number.digits.insert(0, overflow);
  number.point += static_cast<int>(overflow.size());
  return normalized(std::move(number));
}

// Removes the leading digits from "text" and returns them.
std::string_view take_digits(std::string_view& text) {
  const std::string_view digits =
      text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Parses an exponent, such as the "-3" in "1e-3". Returns nothing if "text" is not an integer or
// exceeds kMaxExponent.
std::optional<int> parse_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  take_one_of(text, "+-");
  const std::string_view digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  const auto exponent = base::parse_number<int>(digits);
  if (!exponent || *exponent > kMaxExponent) return std::nullopt;
  return negative ? -*exponent : *exponent;
}

}  // namespace

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  if (sign_of(*this) != sign_of(other)) return sign_of(*this) <=> sign_of(other);
  // The digits have no leading zeros, so the greater of two positive numbers is the number with the
  // greater "point". If the points are equal, the digits can be compared as strings: "12" is less
  // than "123", as 1.2 is less than 1.23. If both numbers are negative, the number farther from
  // zero is the smaller one, so swap the operands.
  const Decimal& left = negative ? other : *this;
  const Decimal& right = negative ? *this : other;
  return std::tie(left.point, left.digits) <=> std::tie(right.point, right.digits);
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  if (text.size() > kMaxDecimalText) return std::nullopt;
  Decimal number;
  number.negative = text.starts_with('-');
  take_one_of(text, "+-");
  number.digits = take_digits(text);
  number.point = static_cast<int>(number.digits.size());
  if (take_one_of(text, ".")) number.digits += take_digits(text);
  if (number.digits.empty()) return std::nullopt;
  if (take_one_of(text, "eE")) {
    const auto exponent = parse_exponent(text);
    if (!exponent) return std::nullopt;
    number.point += *exponent;
  } else if (!text.empty()) {
    return std::nullopt;
  }
  return normalized(std::move(number));
}

std::optional<Decimal> parse_integer(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('-')) rest.remove_prefix(1);
  if (take_digits(rest).empty()) return std::nullopt;
  const bool is_whole = rest.empty() || (rest.size() > 1 && rest.front() == '.' &&
                                         rest.find_first_not_of('0', 1) == std::string_view::npos);
  return is_whole ? parse_decimal(text) : std::nullopt;
}

Decimal decimal_of(std::int64_t number) {
  Decimal decimal;
  decimal.negative = number < 0;
  decimal.digits = std::to_string(number).substr(number < 0 ? 1 : 0);
  decimal.point = static_cast<int>(decimal.digits.size());
  return normalized(std::move(decimal));
}

bool is_integer(const Decimal& number) {
  return number.digits.empty() || number.point >= static_cast<int>(number.digits.size());
}

std::optional<std::int64_t> to_integer(const Decimal& number) {
  if (number.digits.empty()) return 0;
  if (!is_integer(number)) return std::nullopt;
  std::string text = number.digits;
  text.append(static_cast<std::size_t>(number.point) - text.size(), '0');
  if (number.negative) text.insert(0, 1, '-');
  return base::parse_number<std::int64_t>(text);
}

std::string to_text(const Decimal& number) {
  if (number.digits.empty()) return "0";
  std::string text = number.digits;
  if (number.point <= 0) {
    text.insert(0, static_cast<std::size_t>(-number.point), '0').insert(0, "0.");
  } else if (const auto point = static_cast<std::size_t>(number.point); point < text.size()) {
    text.insert(point, 1, '.');
  } else {
    text.append(point - text.size(), '0');
  }
  return number.negative ? "-" + text : text;
}

std::optional<Thousandths> thousandths_of(const Decimal& value, const Decimal& maximum) {
  assert(sign_of(maximum) > 0);
  if (sign_of(value) < 0 || value > maximum) return std::nullopt;
  // Use bisection to find the largest t for which t - 1/2 <= 1000 * value / maximum, because
  // Decimal has no division.
  const Decimal doubled = times(value, 2000);
  unsigned below = 0;
  unsigned above = 1001;
  while (above - below > 1) {
    const unsigned middle = (below + above) / 2;
    (times(maximum, 2 * middle - 1) <= doubled ? below : above) = middle;
  }
  return static_cast<Thousandths>(below);
}

std::optional<Thousandths> value_in(Category category, const Decimal& number) {
  if (category == Category::scale) return thousandths_of(number, decimal_of(1));
  const auto integer = to_integer(number);
  const int lowest = category == Category::binary ? 0 : -1;
  if (!integer || *integer < lowest || *integer > 1) return std::nullopt;
  return static_cast<Thousandths>(*integer * 1000);
}

}  // namespace model
