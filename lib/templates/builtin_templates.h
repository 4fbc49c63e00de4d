#pragma once

#include <string_view>
#include <vector>

#include "model/template.h"

namespace templates {

// The templates that come with the program, by slug, their CSS brought under them
// (templates/css.h).
[[nodiscard]] std::vector<model::Template> builtin_templates();

// The text of a file of lib/templates/builtin/; empty if there is none of this name.
[[nodiscard]] std::string_view template_file(std::string_view name);

}  // namespace templates
