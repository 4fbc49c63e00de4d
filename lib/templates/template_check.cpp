#include "templates/template_check.h"

#include <utility>

#include "model/text.h"
#include "templates/render.h"

namespace templates {
namespace {

using base::Message;
using model::Template;
using model::TextLimits;
using Lines = TextLimits::Lines;
using Problems = std::vector<TemplateProblem>;

constexpr std::size_t kMaxSlug = 129;
constexpr std::size_t kMaxCode = 16'384;  // of HTML, of CSS

struct TextField {
  std::string_view field;
  std::string Template::*place;
  TextLimits limits;
};
constexpr TextField kTexts[] = {
    {"slug", &Template::slug, {false, kMaxSlug, Lines::one}},
    {"name", &Template::name, {false, 200, Lines::one}},
    {"description", &Template::description, {true, 1000, Lines::several}},
    {"html", &Template::html, {false, kMaxCode, Lines::several}},
    {"css", &Template::css, {true, kMaxCode, Lines::several}},
};

void check_slug(const std::string& slug, Problems& problems) {
  if (!model::is_slug(slug)) {
    problems.push_back(
        {"slug", "rest_invalid_pattern",
         Message("slug must be like mine/stars: two parts, each 1 to 64 characters of a-z 0-9 _ "
                 "-.")});
  } else if (model::is_builtin(slug)) {
    problems.push_back({"slug", "rest_invalid_param",
                        Message("slug must not begin with simple/, where the built-in templates "
                                "are.")});
  }
}

// Checks that require all others to have passed.
void check_code(Template& widget_template, Problems& problems) {
  if (const auto refusal = refuse_html(widget_template.html, widget_template.category)) {
    problems.push_back({"html", "rest_invalid_param",
                        Message("html is refused: {reason}", {{"reason", *refusal}})});
  } else if (!can_render(widget_template.html)) {
    problems.push_back(
        {"html", "rest_invalid_param", Message("html is refused: it cannot be rendered.")});
  }
  auto css = scope_css(widget_template.css, widget_template.slug);
  if (!css) {
    problems.push_back({"css", "rest_invalid_param",
                        Message("css is refused: {reason}", {{"reason", css.error()}})});
    return;
  }
  widget_template.css = *std::move(css);
  if (widget_template.css.size() <= kMaxCode) return;
  problems.push_back({"css", "rest_too_long",
                      Message("css must be up to {maximum} bytes with the widget before each "
                              "selector.",
                              {{"maximum", static_cast<std::int64_t>(kMaxCode)}})});
}

}  // namespace

Problems check_template(Template& widget_template) {
  Problems problems;
  for (const TextField& text : kTexts) {
    auto refusal = model::refuse_text(text.field, widget_template.*text.place, text.limits);
    if (!refusal) continue;
    problems.push_back({text.field, refusal->is_too_long ? "rest_too_long" : "rest_invalid_pattern",
                        std::move(refusal->message)});
  }
  if (problems.empty()) check_slug(widget_template.slug, problems);
  if (problems.empty()) check_code(widget_template, problems);
  return problems;
}

}  // namespace templates
