#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/rating.h"

namespace model {

// A template for widgets in one category. A template consists of HTML with markers
// (templates/template_check.h) and CSS.
struct Template {
  std::string slug = {};
  std::string name = {};
  std::string description = {};
  Category category = Category::binary;
  std::int64_t version = 1;  // the number of times it was stored
  std::string html = {};
  std::string css = {};

  bool operator==(const Template&) const = default;
};

// Returns whether "text" is a valid slug of the form "namespace/name". Each of the two parts of a
// slug has 1 to 64 characters of [a-z0-9_-].
[[nodiscard]] inline bool is_slug(std::string_view text) {
  constexpr std::size_t kMaxPart = 64;
  const auto is_part = [](std::string_view part) {
    return !part.empty() && part.size() <= kMaxPart && std::ranges::all_of(part, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  };
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_part(text.substr(0, slash)) &&
         is_part(text.substr(slash + 1));
}

// Returns whether the template is in the namespace that is reserved for built-in templates.
[[nodiscard]] constexpr bool is_builtin(std::string_view slug) {
  return slug.starts_with("simple/");
}

}  // namespace model
