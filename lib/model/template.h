#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/rating.h"

namespace model {

// A template for the widgets of one category: HTML with markers (templates/template_check.h), and
// CSS.
struct Template {
  std::string slug = {};
  std::string name = {};
  std::string description = {};
  Category category = Category::binary;
  std::int64_t version = 1;  // how often it was stored
  std::string html = {};
  std::string css = {};

  bool operator==(const Template&) const = default;
};

// Whether "text" is a valid slug: "namespace/name", each 1-64 of [a-z0-9_-].
[[nodiscard]] bool is_slug(std::string_view text);

// The reserved namespace of built-in templates.
[[nodiscard]] constexpr bool is_builtin(std::string_view slug) {
  return slug.starts_with("simple/");
}

}  // namespace model
