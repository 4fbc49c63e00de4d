#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/template.h"

namespace templates {

// A built-in template. For the slug "simple/NAME", the source files in lib/templates/builtin/ are
// base.css and all files with the name NAME.
struct Builtin {
  std::string_view slug;
  std::string_view name;
  std::string_view description;
  model::Category category;
  bool has_steps = false;  // true if the template also uses steps.css and tenths.css
};

// Returns the built-in templates, ordered by slug.
[[nodiscard]] std::span<const Builtin> builtins();

// Returns the built-in templates with their HTML and scoped CSS (templates/template_check.h).
[[nodiscard]] std::vector<model::Template> builtin_templates();

// Returns the content of a file in lib/templates/builtin/, or an empty string if the file does not
// exist.
[[nodiscard]] std::string_view template_file(std::string_view name);

}  // namespace templates
