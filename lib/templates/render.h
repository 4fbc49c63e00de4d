#pragma once

#include <string>
#include <string_view>

#include "model/rating.h"
#include "model/template.h"

namespace templates {

struct Widget {
  std::string object_id = {};    // empty if the widget has no object
  std::string object_type = {};  // in the format that model::parse_object_type() returns
  std::string_view size = "medium";
  std::string_view color_scheme = "auto";
  bool shows_counts = true;
  model::Totals totals = {};  // for the template's category
};

// Returns whether the ctemplate library can parse "html". Call this function only if refuse_html()
// has accepted "html".
[[nodiscard]] bool can_render(std::string_view html);

// Returns the widget's HTML, with each value escaped for its context. Throws std::runtime_error if
// ctemplate cannot parse the template. The error is unlikely, because templates are checked before
// they are stored.
[[nodiscard]] std::string render(const model::Template& widget_template, const Widget& widget);

}  // namespace templates
