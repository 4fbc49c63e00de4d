#pragma once

#include <string>
#include <string_view>

#include "model/rating.h"
#include "model/template.h"

namespace templates {

struct Widget {
  std::string object_id = {};    // empty: no object
  std::string object_type = {};  // in the form that model::parse_object_type() returns
  std::string_view size = "medium";
  std::string_view color_scheme = "auto";
  bool shows_counts = true;
  model::Totals totals = {};  // for the template's category
};

// Returns whether ctemplate can parse "html". REQUIRES: refuse_html() accepts "html".
[[nodiscard]] bool can_render(std::string_view html);

// Returns the widget's HTML, in which each value is escaped for its context. Throws
// std::runtime_error if ctemplate cannot parse the template. This should not happen, because it was
// checked before the template was stored.
[[nodiscard]] std::string render(const model::Template& widget_template, const Widget& widget);

}  // namespace templates
