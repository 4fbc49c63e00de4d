#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace base {

// Parses all of "text" as a number. An integer consists of digits, with an optional minus if Number
// is signed. A double has the format that std::from_chars accepts. Returns nothing for any other
// string, or if the number does not fit.
template <typename Number, typename... Radix>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, Radix... radix) {
  Number number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, radix...);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

// Removes the part before the first separator, and the separator, from the front of "text". Returns
// the part. If there is no separator, the part is all of "text". The "separator" is a character, or
// a string of which each character is a separator.
template <typename Separator>
std::string_view take_until(std::string_view& text, Separator separator) {
  const std::size_t length = std::min(text.find_first_of(separator), text.size());
  const std::string_view part = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return part;
}

}  // namespace base
