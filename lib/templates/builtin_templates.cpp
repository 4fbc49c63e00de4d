#include "templates/builtin_templates.h"

#include <string>

#include "templates/template_check.h"

namespace templates {
namespace {

using model::Category;

constexpr std::array kBuiltins = {
    Builtin{"simple/distribution",
            "Stars with distribution",
            "Five stars to choose from, with a bar for the number of each.",
            Category::scale,
            "distribution.html",
            {"base.css", "steps.css", "distribution.css"}},
    Builtin{"simple/dots",
            "Dots",
            "Five dots to choose from, with the average out of 5.",
            Category::scale,
            "dots.html",
            {"base.css", "steps.css", "dots.css"}},
    Builtin{"simple/heart",
            "Heart",
            "One heart to like something by, with the number of likes.",
            Category::binary,
            "heart.html",
            {"base.css", "heart.css"}},
    Builtin{"simple/like-dislike",
            "Like and dislike",
            "Two buttons with words, each with its own number.",
            Category::bipolar,
            "like-dislike.html",
            {"base.css", "like-dislike.css"}},
    Builtin{"simple/slider",
            "Slider",
            "A slider from 0 to 10, with the average.",
            Category::scale,
            "slider.html",
            {"base.css", "slider.css"}},
    Builtin{"simple/stars",
            "Stars",
            "Five stars to choose from, with the average out of 5.",
            Category::scale,
            "stars.html",
            {"base.css", "steps.css", "stars.css"}},
    Builtin{"simple/thumbs",
            "Thumbs",
            "A thumb up and a thumb down, with the score between them.",
            Category::bipolar,
            "thumbs.html",
            {"base.css", "thumbs.css"}},
};

model::Template template_of(const Builtin& builtin) {
  std::string css;
  for (const std::string_view file : builtin.css) css += template_file(file);
  return {.slug = std::string(builtin.slug),
          .name = std::string(builtin.name),
          .description = std::string(builtin.description),
          .category = builtin.category,
          .html = std::string(template_file(builtin.html)),
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
