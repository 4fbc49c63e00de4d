#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace base {

// The characters that C's isspace() accepts in the "C" locale.
inline constexpr std::string_view kSpaces = " \t\n\v\f\r";

// The following functions return true only for ASCII characters, regardless of the locale.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
[[nodiscard]] constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

// Returns "bytes" in lower-case hexadecimal.
[[nodiscard]] std::string to_hex(std::string_view bytes);

// Decodes hexadecimal in upper or lower case. Returns nothing if "hex" is malformed.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view hex);

// Encodes "bytes" in Base64 with the URL alphabet and without padding (RFC 4648 §5).
[[nodiscard]] std::string to_base64url(std::string_view bytes);

// Decodes the output of to_base64url(). Returns nothing if to_base64url() cannot have produced
// "text", for example because "text" has padding or ends with bits that do not form a whole byte.
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

// Encodes "bytes" in Base64 with the standard alphabet and padding (RFC 4648 §4).
[[nodiscard]] std::string to_base64(std::string_view bytes);

// Decodes Base64 in the same way as PHP's base64_decode(). Skips characters outside the standard
// alphabet, and trailing bits that do not form a whole byte.
[[nodiscard]] std::string from_base64_like_php(std::string_view text);

// Returns whether "text" is well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms).
[[nodiscard]] bool is_utf8(std::string_view text);

// Returns whether "text" consists only of ASCII letters, digits and the characters in "more".
[[nodiscard]] bool consists_of_letters_digits_and(std::string_view text, std::string_view more);

// to_lower(), equals_ignoring_case() and contains_ignoring_case() convert or ignore the case of
// ASCII letters only.
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);
[[nodiscard]] bool contains_ignoring_case(std::string_view text, std::string_view part);

// Returns "text" with every "mark" replaced by "value". "mark" must not be empty.
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view mark,
                                      std::string_view value);

// Makes untrusted text safe for a terminal. Replaces control characters, invisible characters and
// characters that change the text direction: each of their bytes becomes an escape such as "\x1b".
// If "text" is not valid UTF-8, also replaces each byte that is not ASCII.
[[nodiscard]] std::string printable(std::string_view text);

// Like printable(), but keeps line feeds.
[[nodiscard]] std::string printable_lines(std::string_view text);

// Returns "text" without leading and trailing spaces and tabs.
[[nodiscard]] std::string_view trim(std::string_view text);

// Returns the result of PHP's trim(): "text" without leading and trailing spaces, \t, \n, \r, \0
// and \v.
[[nodiscard]] std::string_view trim_like_php(std::string_view text);

// Returns "word" in a form that an operator can paste into a shell as one argument. The word is
// quoted if it contains characters that a shell may interpret.
[[nodiscard]] std::string shell_quoted(const std::string& word);

// Returns the Levenshtein distance, which is the minimum number of bytes to insert, remove or
// change to turn "a" into "b". The running time is proportional to the product of the lengths of
// "a" and "b".
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// Joins the elements of a range, with "separator" between them. "text_of" converts each element to
// text.
template <typename Texts, typename TextOf = std::identity>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view separator = ", ",
                                 const TextOf& text_of = {}) {
  std::string all;
  for (const auto& each : texts) {
    all.append(all.empty() ? "" : separator).append(std::invoke(text_of, each));
  }
  return all;
}

// Parses all of "text" as a number. An integer consists of digits, with an optional minus sign if
// the type Number is signed. A double has the format that std::from_chars accepts. Returns nothing
// if "text" is not in this format, or if the number does not fit in a Number.
template <typename Number, typename... Radix>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, Radix... radix) {
  Number number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, radix...);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

// Returns the part of "text" before the first separator, and removes this part and the separator
// from "text". If "text" contains no separator, the first part is all of "text". "separator" is a
// character, or a string in which each character is a separator.
template <typename Separator>
std::string_view take_until(std::string_view& text, Separator separator) {
  const std::size_t length = std::min(text.find_first_of(separator), text.size());
  const std::string_view part = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return part;
}

}  // namespace base
