#include "templates/template_check.h"

#include <algorithm>
#include <array>
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
constexpr std::size_t kMaxCode = 16'384;  // for the HTML, and for the CSS

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
         Message("The slug must have two parts, such as mine/stars. Each part of the slug must "
                 "consist of 1 to 64 lower-case letters (a-z), digits, underscores and hyphens.")});
  } else if (model::is_builtin(slug)) {
    problems.push_back(
        {"slug", "rest_invalid_param",
         Message(
             "The slug must not begin with simple/, which is reserved for built-in templates.")});
  }
}

// Checks the HTML and CSS of a template. Call this function only if all other checks of the
// template have succeeded.
void check_code(Template& widget_template, Problems& problems) {
  if (const auto refusal = refuse_html(widget_template.html, widget_template.category)) {
    problems.push_back(
        {"html", "rest_invalid_param",
         Message("The “html” field is not valid: {reason}", {{"reason", *refusal}})});
  } else if (!can_render(widget_template.html)) {
    problems.push_back({"html", "rest_invalid_param",
                        Message("The “html” field is not valid, because it cannot be rendered.")});
  }
  auto css = scope_css(widget_template.css, widget_template.slug);
  if (!css) {
    problems.push_back(
        {"css", "rest_invalid_param",
         Message("The “css” field is not valid: {reason}", {{"reason", css.error()}})});
    return;
  }
  widget_template.css = *std::move(css);
  if (widget_template.css.size() <= kMaxCode) return;
  problems.push_back({"css", "rest_too_long",
                      Message("The “css” field must have at most {maximum} bytes, including "
                              "the widget's selector, which ratingd adds before each selector.",
                              {{"maximum", static_cast<std::int64_t>(kMaxCode)}})});
}

constexpr std::string_view kSection = "COUNTS";

constexpr std::array kValues = {
    Value{"OBJECT_ID", ValueKind::root, "data-object-id"},
    Value{"OBJECT_TYPE", ValueKind::root, "data-object-type"},
    Value{"CATEGORY", ValueKind::root, "data-category"},
    Value{"TEMPLATE", ValueKind::root, "data-template"},
    Value{"USER_RATING", ValueKind::root, "data-user-rating"},
    Value{"SIZE", ValueKind::root, "data-size"},
    Value{"COLOR_SCHEME", ValueKind::root, "data-color-scheme"},
    Value{"TENTHS", ValueKind::root, "data-tenths"},
    Value{"TOTAL", ValueKind::number, "data-stat", "total"},
    Value{"VOTES", ValueKind::number, "data-stat", "votes"},
    Value{"OWN", ValueKind::number, "data-stat", "own"},
    Value{"POSITIVE", ValueKind::number, "data-count", "positive"},
    Value{"NEUTRAL", ValueKind::number, "data-count", "neutral"},
    Value{"NEGATIVE", ValueKind::number, "data-count", "negative"},
    Value{"SCORE", ValueKind::number, "data-count", "score"},
    Value{"AVERAGE", ValueKind::average, "data-stat", "average", "1"},
    Value{"AVERAGE_5", ValueKind::number, "data-stat", "average", "5"},
    Value{"AVERAGE_10", ValueKind::number, "data-stat", "average", "10"},
    Value{"AVERAGE_100", ValueKind::number, "data-stat", "average", "100"},
    Value{"STEP_1", ValueKind::number, "data-stat", "step_1"},
    Value{"STEP_2", ValueKind::number, "data-stat", "step_2"},
    Value{"STEP_3", ValueKind::number, "data-stat", "step_3"},
    Value{"STEP_4", ValueKind::number, "data-stat", "step_4"},
    Value{"STEP_5", ValueKind::number, "data-stat", "step_5"},
    Value{"SHARE_1", ValueKind::share},
    Value{"SHARE_2", ValueKind::share},
    Value{"SHARE_3", ValueKind::share},
    Value{"SHARE_4", ValueKind::share},
    Value{"SHARE_5", ValueKind::share},
    Value{"LABEL_RATING", ValueKind::label},
    Value{"LABEL_LIKE", ValueKind::label},
    Value{"LABEL_DISLIKE", ValueKind::label},
    Value{"LABEL_VOTES", ValueKind::label},
    Value{"LABEL_AVERAGE", ValueKind::label},
    Value{"LABEL_0_5", ValueKind::label},
    Value{"LABEL_1", ValueKind::label},
    Value{"LABEL_1_5", ValueKind::label},
    Value{"LABEL_2", ValueKind::label},
    Value{"LABEL_2_5", ValueKind::label},
    Value{"LABEL_3", ValueKind::label},
    Value{"LABEL_3_5", ValueKind::label},
    Value{"LABEL_4", ValueKind::label},
    Value{"LABEL_4_5", ValueKind::label},
    Value{"LABEL_5", ValueKind::label},
};

// Reads a marker from the beginning of "text", which must begin with "{{".
tl::expected<Marker, std::string> read_marker(std::string_view text) {
  const std::size_t end = text.find("}}");
  if (end == std::string_view::npos) return tl::unexpected(std::string("{{ is without its }}."));
  Marker marker{Marker::Kind::value, text.substr(2, end - 2), text.substr(0, end + 2)};
  if (marker.name.starts_with('#')) marker.kind = Marker::Kind::section_start;
  if (marker.name.starts_with('/')) marker.kind = Marker::Kind::section_end;
  if (marker.kind != Marker::Kind::value) marker.name.remove_prefix(1);
  const bool is_known = marker.kind == Marker::Kind::value ? find_value(marker.name) != nullptr
                                                           : marker.name == kSection;
  if (is_known) return marker;
  constexpr std::size_t kShown = 40;
  return tl::unexpected(std::string(marker.whole.substr(0, kShown)).append(" is not a marker."));
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

const Value* find_value(std::string_view name) {
  const auto* const found = std::ranges::find(kValues, name, &Value::name);
  return found == kValues.end() ? nullptr : found;
}

tl::expected<std::vector<Marker>, std::string> read_markers(std::string_view text) {
  std::vector<Marker> markers;
  while (!text.empty()) {
    const std::size_t start = std::min(text.find("{{"), text.size());
    if (text.substr(0, start).find("}}") != std::string_view::npos) {
      return tl::unexpected(std::string("}} is without its {{."));
    }
    text.remove_prefix(start);
    if (text.empty()) break;
    auto marker = read_marker(text);
    if (!marker) return tl::unexpected(std::move(marker.error()));
    text.remove_prefix(marker->whole.size());
    markers.push_back(*marker);
  }
  return markers;
}

}  // namespace templates
