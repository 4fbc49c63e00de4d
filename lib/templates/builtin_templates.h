#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/template.h"

namespace templates {

// Its files are those with the name after "simple/", and base.css.
struct Builtin {
  std::string_view slug;
  std::string_view name;
  std::string_view description;
  model::Category category;
  bool has_steps = false;  // as steps.css and tenths.css show them
};

// The built-in templates, by slug.
[[nodiscard]] std::span<const Builtin> builtins();

// The same, with scoped CSS (templates/template_check.h).
[[nodiscard]] std::vector<model::Template> builtin_templates();

// The content of a file of lib/templates/builtin/; empty if it does not exist.
[[nodiscard]] std::string_view template_file(std::string_view name);

}  // namespace templates
