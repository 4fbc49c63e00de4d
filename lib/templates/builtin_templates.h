#pragma once

#include <string_view>
#include <vector>

#include "model/template.h"

namespace templates {

// The built-in templates, by slug, with scoped CSS (templates/css.h).
[[nodiscard]] std::vector<model::Template> builtin_templates();

// The content of a file of lib/templates/builtin/; empty if it does not exist.
[[nodiscard]] std::string_view template_file(std::string_view name);

}  // namespace templates
