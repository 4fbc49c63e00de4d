#include "base/text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace base {

std::string shell_quoted(const std::string& word) {
  const bool is_plain = !word.empty() && consists_of_letters_digits_and(word, "/._-+@:=,%");
  return is_plain ? word : "'" + replace_all(word, "'", "'\\''") + "'";
}
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns the length of the well-formed UTF-8 sequence at the beginning of "text", or 0 if there is
// no such sequence.
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i) {
    return i < text.size() && (byte(i) & 0xC0U) == 0x80U;
  };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool above_unicode = first == 0xF4 && byte(1) > 0x8F;
    return overlong || above_unicode ? 0 : 4;
  }
  return 0;
}

// Returns the code point of one well-formed UTF-8 sequence. For a single byte that is not ASCII,
// returns a control character, so that printable() escapes the byte.
char32_t code_point(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x80 ? byte(0) : 0x80;
  char32_t point = byte(0) & (0xFFU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) point = point << 6U | (byte(i) & 0x3FU);
  return point;
}

struct CodePoints {
  char32_t first;
  char32_t last;
};

// Control characters, invisible characters and characters that reorder their neighbours. The list
// contains the characters with Unicode's property Default_Ignorable_Code_Point
// (DerivedCoreProperties.txt), the line and paragraph separators, and the interlinear annotation
// characters. The list does not contain the variation selectors U+FE00 to U+FE0F, because emoji
// need them.
constexpr auto kHidden = std::to_array<CodePoints>({{0x00, 0x1F},
                                                    {0x7F, 0x9F},
                                                    {0xAD, 0xAD},
                                                    {0x34F, 0x34F},
                                                    {0x61C, 0x61C},
                                                    {0x115F, 0x1160},
                                                    {0x17B4, 0x17B5},
                                                    {0x180B, 0x180F},
                                                    {0x200B, 0x200F},
                                                    {0x2028, 0x202E},
                                                    {0x2060, 0x206F},
                                                    {0x3164, 0x3164},
                                                    {0xFEFF, 0xFEFF},
                                                    {0xFFA0, 0xFFA0},
                                                    {0xFFF0, 0xFFFB},
                                                    {0x1BCA0, 0x1BCA3},
                                                    {0x1D173, 0x1D17A},
                                                    {0xE0000, 0xE0FFF}});

bool is_hidden(char32_t point) {
  return std::ranges::any_of(
      kHidden, [&](const CodePoints& some) { return some.first <= point && point <= some.last; });
}

// Splits "bytes" into 6-bit groups and encodes each group as a character from "alphabet". Adds no
// padding.
std::string in_groups_of_6_bits(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits = bits << 8U | static_cast<std::uint8_t>(c);
    for (held += 8; held >= 6; held -= 6) text += alphabet[bits >> (held - 6) & 0x3FU];
  }
  if (held > 0) text += alphabet[bits << (6 - held) & 0x3FU];
  return text;
}

// Decodes the characters in "text" that are in "alphabet". Skips characters that are not in
// "alphabet", and trailing bits that do not form a whole byte.
std::string from_groups_of_6_bits(std::string_view text, std::string_view alphabet) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const auto value = alphabet.find(c);
    if (value == std::string_view::npos) continue;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFFU);
  }
  return bytes;
}

std::string_view without_ends(std::string_view text, std::string_view characters) {
  const auto first = text.find_first_not_of(characters);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(characters) - first + 1);
}

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    hex += kHexDigits[byte >> 4U];
    hex += kHexDigits[byte & 0x0FU];
  }
  return hex;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const auto high = kHexDigits.find(lower(hex[i]));
    const auto low = kHexDigits.find(lower(hex[i + 1]));
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high << 4U | low);
  }
  return bytes;
}

std::string to_base64url(std::string_view bytes) { return in_groups_of_6_bits(bytes, kBase64Url); }

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes = from_groups_of_6_bits(text, kBase64Url);
  if (to_base64url(bytes) != text) return std::nullopt;
  return bytes;
}

std::string to_base64(std::string_view bytes) {
  std::string text = in_groups_of_6_bits(bytes, kBase64);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string from_base64_like_php(std::string_view text) {
  return from_groups_of_6_bits(text, kBase64);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string replace_all(std::string_view text, std::string_view mark, std::string_view value) {
  assert(!mark.empty());
  std::string result;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
    result.append(text.substr(0, at)).append(value);
    text.remove_prefix(at + mark.size());
  }
  return result.append(text);
}

bool consists_of_letters_digits_and(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return is_letter_or_digit(c) || more.find(c) != std::string_view::npos;
  });
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto is_same = [](char x, char y) { return lower(x) == lower(y); };
  return part.empty() ||
         std::search(text.begin(), text.end(), part.begin(), part.end(), is_same) != text.end();
}

std::string printable(std::string_view text) {
  const bool has_letters_beyond_ascii = is_utf8(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t length = has_letters_beyond_ascii ? utf8_sequence(text) : 1;
    const std::string_view character = text.substr(0, length);
    text.remove_prefix(length);
    if (!is_hidden(code_point(character))) {
      result += character;
      continue;
    }
    for (const char byte : character) result += "\\x" + to_hex({&byte, 1});
  }
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n')) {
    result += printable(text.substr(0, at)) + '\n';
    text.remove_prefix(at + 1);
  }
  return result + printable(text);
}

std::string_view trim(std::string_view text) { return without_ends(text, " \t"); }

std::string_view trim_like_php(std::string_view text) {
  using namespace std::string_view_literals;  // one of the characters is \0
  return without_ends(text, " \t\n\r\0\v"sv);
}

}  // namespace base
