// Fuzzes the site's own templates. The first byte selects whether the rest of the input is CSS, or
// HTML with markers.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "templates/template_check.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Removes the strings from checked CSS. Strings in checked CSS contain no escape sequences.
std::string without_strings(std::string_view css) {
  std::string rest;
  char quote = 0;
  for (const char c : css) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else {
      rest += c;
    }
  }
  return rest;
}

void check_css(std::string_view css) {
  const auto scoped = templates::scope_css(css, "a/b");
  if (!scoped) return;
  // scope_css() must accept its own result and return it unchanged.
  require(templates::scope_css(*scoped, "a/b") == scoped);
  require(scoped->find('<') == std::string::npos);
  require(without_strings(*scoped).find("url(") == std::string::npos);
}

void check_html(std::string_view html, model::Category category) {
  if (templates::refuse_html(html, category)) return;
  require(templates::read_markers(html).has_value());
  require(html.find("<script") == std::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 4 == 3) {
    check_css(text);
  } else {
    check_html(text, static_cast<model::Category>(data[0] % 4));
  }
  return 0;
}
