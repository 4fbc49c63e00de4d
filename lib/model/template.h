#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/rating.h"

namespace model {

// A template for widgets in one category: HTML with markers (templates/template_check.h), and CSS.
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

// Returns whether "text" is a valid slug: "namespace/name", where each part has 1 to 64 characters
// of [a-z0-9_-].
[[nodiscard]] bool is_slug(std::string_view text);

// Returns whether the template has the namespace that is reserved for built-in templates.
[[nodiscard]] constexpr bool is_builtin(std::string_view slug) {
  return slug.starts_with("simple/");
}

}  // namespace model
