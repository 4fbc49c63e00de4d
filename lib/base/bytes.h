#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace base {

// What C's isspace() accepts in the "C" locale.
inline constexpr std::string_view kSpaces = " \t\n\v\f\r";

// ASCII, whatever the locale.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
[[nodiscard]] constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

// Lower-case hexadecimal of "bytes".
[[nodiscard]] std::string to_hex(std::string_view bytes);

// The bytes that "hex" (either case) stands for; nothing if it is not hexadecimal.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view hex);

// Base64 with the URL alphabet and no padding (RFC 4648 §5).
[[nodiscard]] std::string to_base64url(std::string_view bytes);

// The bytes of base64url as to_base64url() writes it: nothing for padding, other characters or bits
// at the end that do not make a byte.
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

// Base64 with the standard alphabet and padding (RFC 4648 §4).
[[nodiscard]] std::string to_base64(std::string_view bytes);

// The result of PHP's base64_decode(): characters outside of the standard alphabet are skipped, and
// so are bits at the end that do not make a byte.
[[nodiscard]] std::string from_base64_like_php(std::string_view text);

// Whether "text" is well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms).
[[nodiscard]] bool is_utf8(std::string_view text);

// Whether "text" has ASCII letters, digits and the characters in "more" only.
[[nodiscard]] bool consists_of_letters_digits_and(std::string_view text, std::string_view more);

// ASCII only; other bytes stay as they are.
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);
[[nodiscard]] bool contains_ignoring_case(std::string_view text, std::string_view part);

// "text" with every "mark" replaced by "value". REQUIRES: "mark" is not empty.
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view mark,
                                      std::string_view value);

// Makes untrusted input safe for a terminal: replaces each byte of a control character, of an
// invisible character and of a character that changes the direction of text by an escape such as
// "\x1b". If "text" is not UTF-8, it replaces each byte beyond ASCII.
[[nodiscard]] std::string printable(std::string_view text);

// The same, where line feeds end lines.
[[nodiscard]] std::string printable_lines(std::string_view text);

// "text" without leading and trailing spaces and tabs.
[[nodiscard]] std::string_view trim(std::string_view text);

// "text" without the bytes that PHP's trim() removes at both ends: space, \t, \n, \r, \0, \v.
[[nodiscard]] std::string_view trim_like_php(std::string_view text);

// A word for a command that an operator is shown, to be pasted: in quotes if it means anything to
// a shell.
[[nodiscard]] std::string shell_quoted(const std::string& word);

// The Levenshtein distance: the number of bytes to insert, remove or change to turn "a" into "b".
// Takes time proportional to the product of both lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace base
