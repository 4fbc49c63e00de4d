#include "templates/builtin_templates.h"

#include <array>
#include <string>

#include "templates/template_check.h"

namespace templates {
namespace {

using model::Category;

constexpr auto kBuiltins = std::to_array<Builtin>({
    {"simple/distribution", "Stars with distribution",
     "Five stars to choose from, with a bar for the number of each.", Category::scale, true},
    {"simple/dots", "Dots", "Five dots to choose from, with the average out of 5.", Category::scale,
     true},
    {"simple/half-stars", "Half stars",
     "Five stars to choose from in halves, with the average out of 5.", Category::scale, true},
    {"simple/heart", "Heart", "One heart to like something by, with the number of likes.",
     Category::binary},
    {"simple/like-dislike", "Like and dislike", "Two buttons with words, each with its own number.",
     Category::bipolar},
    {"simple/slider", "Slider", "A slider from 0 to 10, with the average.", Category::scale},
    {"simple/stars", "Stars", "Five stars to choose from, with the average out of 5.",
     Category::scale, true},
    {"simple/thumbs", "Thumbs", "A thumb up and a thumb down, with the score between them.",
     Category::bipolar},
});

model::Template template_of(const Builtin& builtin) {
  const std::string name(builtin.slug.substr(builtin.slug.find('/') + 1));
  std::string css(template_file("base.css"));
  if (builtin.has_steps) {
    css += template_file("steps.css");
    css += template_file("tenths.css");
  }
  css += template_file(name + ".css");
  return {.slug = std::string(builtin.slug),
          .name = std::string(builtin.name),
          .description = std::string(builtin.description),
          .category = builtin.category,
          .html = std::string(template_file(name + ".html")),
          .css = scope_css(css, builtin.slug).value()};
}

}  // namespace

std::span<const Builtin> builtins() { return kBuiltins; }

std::vector<model::Template> builtin_templates() {
  std::vector<model::Template> templates;
  templates.reserve(kBuiltins.size());
  for (const Builtin& builtin : kBuiltins) templates.push_back(template_of(builtin));
  return templates;
}

}  // namespace templates
