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
  std::string_view code;  // of WordPress: rest_invalid_pattern ...; a literal
  base::Message message;  // a sentence that says what is allowed
};

// The problems of a template that is to be stored; none if it is valid. Scopes its CSS
// (scope_css()). REQUIRES: UTF-8.
[[nodiscard]] std::vector<TemplateProblem> check_template(model::Template& widget_template);

// --- Its parts -----------------------------------------------------------------------------------

// The reason why "html" is not valid for a template of "category": a sentence; nothing if it is
// valid.
//
// It must parse without an error, and have one outermost element, which says what the widget is
// about (data-object-id="{{OBJECT_ID}}" and its kin); elements and attributes must be on a list
// that has no scripts, handlers, styles, addresses or ids; controls must be buttons or sliders with
// a data-value that the category has; and markers must stand where what they mean is safe and is
// kept up to date by ratingd-widget.js. Sections begin and end inside the same element, so all that
// can be made of the template is well-formed, too. templates/html_tags.h bounds what is parsed.
[[nodiscard]] std::optional<std::string> refuse_html(std::string_view html,
                                                     model::Category category);

// Checks a template's CSS and scopes each of its rules to the widgets of the template "slug", so
// that it styles nothing else on the page and loads nothing: ".x" becomes "[data-template="slug"]
// .x". A widget can still be drawn over adjacent content. "&" means the widget's outermost element,
// as in CSS nesting, and so does [data-template="..."] with any slug: the result can be checked
// again, also with another slug. Comments are dropped.
//
// Allowed are style rules, @media, @supports and @container, and functions of a list without url().
// Backslashes, "<", nested style rules and position: fixed are refused.
//
// Errors: a sentence that says what is not allowed.
[[nodiscard]] tl::expected<std::string, std::string> scope_css(std::string_view css,
                                                               std::string_view slug);

// The markers of a template's HTML: {{NAME}} stands for a value, and what stands between
// {{#COUNTS}} and {{/COUNTS}} is left out of widgets without counts. There is nothing else:
// ctemplate's modifiers, pragmas, includes and comments are refused, for they can switch its
// escaping off.
struct Marker {
  enum class Kind { value, section_start, section_end };

  Kind kind;
  std::string_view name;   // in the text that was read
  std::string_view whole;  // with its braces
};

// The type of a value, which decides where it may be used (templates/template_check.h).
enum class ValueKind {
  root,     // about the widget: the whole value of one attribute of its outermost element
  number,   // of votes, or text that changes with one: the whole text of the element whose
            // attributes say the same
  average,  // a number, also for the position of a slider
  share,    // of votes, 0 ... 1: the value of a meter with the data-stat of the same name
  label,    // words for people: in texts, aria-label and title
};

struct Value {
  std::string_view name;
  ValueKind kind;
  std::string_view attribute = {};  // of root: which; of numbers: data-count or data-stat
  std::string_view stat = {};       // of numbers: that attribute's value
  std::string_view scale = {};      // of averages: the value of data-scale
};

// nullptr if there is no value of this name.
[[nodiscard]] const Value* find_value(std::string_view name);

// The markers in "text", in order; they point into it. Sections may not match each other.
// Errors: a sentence that names the text that is not a marker, or the unknown value.
[[nodiscard]] tl::expected<std::vector<Marker>, std::string> read_markers(std::string_view text);

}  // namespace templates
