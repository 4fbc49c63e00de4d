#include "model/text.h"

#include <algorithm>
#include <string>
#include <vector>

namespace model {
namespace {

using Lines = TextLimits::Lines;

std::size_t code_points(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

bool has_controls(std::string_view text, Lines lines) {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    const bool breaks = c == '\n' || c == '\r' || c == '\t';
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == '\x7F';
    return is_control && !(breaks && lines == Lines::several);
  });
}

base::Message limits_of(std::string_view name, const TextLimits& limits) {
  const std::vector<base::MessageValue> values{
      {"name", std::string(name)},
      {"minimum", limits.may_be_empty ? 0 : 1},
      {"maximum", static_cast<std::int64_t>(limits.maximum)}};
  return limits.lines == Lines::one
             ? base::Message("{name} must contain {minimum} to {maximum} characters on one line.",
                             values)
             : base::Message(
                   "{name} must contain {minimum} to {maximum} characters. Control "
                   "characters are not allowed.",
                   values);
}

}  // namespace

std::optional<TextRefusal> refuse_text(std::string_view name, std::string_view text,
                                       const TextLimits& limits) {
  const bool is_too_long = code_points(text) > limits.maximum;
  const bool is_missing = text.empty() && !limits.may_be_empty;
  if (!is_too_long && !is_missing && !has_controls(text, limits.lines)) return std::nullopt;
  return TextRefusal{is_too_long, limits_of(name, limits)};
}

}  // namespace model
