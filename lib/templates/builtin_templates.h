#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/template.h"

namespace templates {

// A built-in template. A template's files in lib/templates/builtin/ are base.css and the files
// whose name is the part of its slug after "simple/".
struct Builtin {
  std::string_view slug;
  std::string_view name;
  std::string_view description;
  model::Category category;
  bool has_steps = false;  // it also uses steps.css and tenths.css
};

// Returns the built-in templates, ordered by slug.
[[nodiscard]] std::span<const Builtin> builtins();

// Returns the built-in templates with their HTML and scoped CSS (templates/template_check.h).
[[nodiscard]] std::vector<model::Template> builtin_templates();

// Returns the content of a file in lib/templates/builtin/, or an empty string if there is no such
// file.
[[nodiscard]] std::string_view template_file(std::string_view name);

}  // namespace templates
