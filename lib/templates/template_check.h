#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/message.h"
#include "model/template.h"

namespace templates {

struct TemplateProblem {
  std::string_view field;
  std::string_view code;  // WordPress's code, a literal: rest_invalid_pattern ...
  base::Message message;  // a sentence that says what is allowed
};

// Returns the problems in a template that is to be stored, or an empty list if it is valid. Scopes
// the template's CSS (scope_css()). REQUIRES: the texts are UTF-8.
[[nodiscard]] std::vector<TemplateProblem> check_template(model::Template& widget_template);

// --- The parts of the check ----------------------------------------------------------------------

// Returns a sentence that says why "html" is not valid for a template in "category". Returns
// nothing if it is valid.
//
// The HTML must parse without an error. It must have one outermost element with the attributes that
// describe the widget, such as data-object-id="{{OBJECT_ID}}". Elements and attributes must be on a
// list that has no scripts, handlers, styles, addresses or ids. Controls must be buttons or sliders
// with a data-value in the category. Markers must stand where their values are safe and where
// ratingd-widget.js updates them. A section must end in the element in which it begins, so that the
// HTML is also well-formed without the section. templates/html_tags.h limits what is parsed.
[[nodiscard]] std::optional<std::string> refuse_html(std::string_view html,
                                                     model::Category category);

// Checks a template's CSS and scopes each rule to widgets that use the template "slug": ".x"
// becomes "[data-template="slug"] .x". So the CSS styles nothing else on the page and loads
// nothing. A widget can still be drawn over adjacent content. "&" selects the widget's outermost
// element, as in CSS nesting. [data-template="..."] selects it too, with any slug, so that the
// result can be checked again, even with another slug. Comments are removed.
//
// Allowed are style rules, @media, @supports, @container, and a list of functions without url().
// Backslashes, "<", nested style rules and "position: fixed" are refused.
//
// Errors: a sentence that says what is not allowed.
[[nodiscard]] tl::expected<std::string, std::string> scope_css(std::string_view css,
                                                               std::string_view slug);

// A marker in a template's HTML. {{NAME}} stands for a value. The text between {{#COUNTS}} and
// {{/COUNTS}} is omitted in widgets without counts. No other markers are accepted: ctemplate's
// modifiers, pragmas, includes and comments are refused, because they can switch off its escaping.
struct Marker {
  enum class Kind { value, section_start, section_end };

  Kind kind;
  std::string_view name;   // a part of the input
  std::string_view whole;  // including the braces
};

// The type of a value. It determines where the value may be used.
enum class ValueKind {
  root,     // describes the widget: the whole value of one attribute on the outermost element
  number,   // a number of votes, or text that depends on one: the whole text of an element with the
            // attributes in Value
  average,  // a number that can also be the position of a slider
  share,  // a share of votes, 0 to 1: the value of a meter with a data-stat attribute of this name
  label,  // words that people read, in texts, aria-label and title
};

struct Value {
  std::string_view name;
  ValueKind kind;
  std::string_view attribute = {};  // root: the attribute; number: data-count or data-stat
  std::string_view stat = {};       // number: the value of this attribute
  std::string_view scale = {};      // average: the value of data-scale
};

// Returns nullptr if there is no value with this name.
[[nodiscard]] const Value* find_value(std::string_view name);

// Returns the markers in "text", in order. The markers point into "text". Does not check that
// sections match. Errors: a sentence that names the string that is not a marker.
[[nodiscard]] tl::expected<std::vector<Marker>, std::string> read_markers(std::string_view text);

}  // namespace templates
