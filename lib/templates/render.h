#pragma once

#include <string>
#include <string_view>

#include "model/rating.h"
#include "model/template.h"

namespace templates {

struct Widget {
  std::string object_id = {};    // empty: of none
  std::string object_type = {};  // in the form of model::parse_object_type
  std::string_view size = "medium";
  std::string_view color_scheme = "auto";
  bool shows_counts = true;
  model::Totals totals = {};  // of the template's category
};

// Whether ctemplate can parse "html", whose markers were checked.
[[nodiscard]] bool can_render(std::string_view html);

// The widget's HTML; each value is escaped for its context. Throws if ctemplate cannot parse the
// template, which was checked before it was stored.
[[nodiscard]] std::string render(const model::Template& widget_template, const Widget& widget);

}  // namespace templates
