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
  std::string_view code;  // a literal with a WordPress error code, such as rest_invalid_pattern
  base::Message message;  // a sentence that describes the allowed values
};

// Checks a template before it is stored, and scopes its CSS (scope_css()). Returns a list of all
// problems, which is empty if the template is valid. All text must be UTF-8.
[[nodiscard]] std::vector<TemplateProblem> check_template(model::Template& widget_template);

// --- The parts of the check ----------------------------------------------------------------------

// Returns nothing if "html" is valid for a template in "category". If "html" is rejected, returns a
// sentence that gives the reason.
//
// The HTML must be free of parse errors. The HTML must have one root element with the attributes
// that describe the widget, such as data-object-id="{{OBJECT_ID}}". Only a fixed set of elements
// and attributes is allowed, without scripts, event handlers, styles, URLs and ids. Controls must
// be buttons or sliders with a data-value that is valid in the category. Markers are allowed only
// where their values are safe and where ratingd-widget.js updates the values. A section of the
// template must begin and end in the same element, so that the HTML is also well-formed if the
// section is omitted. The file templates/html_tags.h defines further limits.
[[nodiscard]] std::optional<std::string> refuse_html(std::string_view html,
                                                     model::Category category);

// Checks the CSS of a template and scopes each rule to widgets that use the template "slug". For
// example, ".x" becomes "[data-template="slug"] .x". Scoped CSS affects only the widget and loads
// nothing. However, a widget can still overlap adjacent content. As in CSS nesting, the selector
// "&" selects the root element of the widget. The selector [data-template="..."] also selects the
// root element, whichever slug the selector contains. Scoped CSS can therefore be passed to this
// function again, for example after the template's slug has changed. Comments are removed.
//
// The CSS may contain style rules, @media, @supports and @container. Only certain CSS functions are
// allowed, and url() is not allowed. Backslashes, "<", nested style rules and "position: fixed" are
// rejected.
//
// If the CSS is rejected, the error is a sentence that gives the reason.
[[nodiscard]] tl::expected<std::string, std::string> scope_css(std::string_view css,
                                                               std::string_view slug);

// A marker in the HTML of a template. The marker {{NAME}} is replaced by a value. The text between
// the markers {{#COUNTS}} and {{/COUNTS}} is omitted in widgets without counts. All other markers
// are rejected, because modifiers, pragmas, includes and comments can disable the escaping by
// ctemplate.
struct Marker {
  enum class Kind { value, section_start, section_end };

  Kind kind;
  std::string_view name;   // the name, which points into the input
  std::string_view whole;  // the whole marker, including the braces
};

// The type of a value, which determines where a template may use the value.
enum class ValueKind {
  // A property of the widget, which must be the whole content of an attribute of the root element.
  root,
  // A number of votes, or text that depends on the number. The value must be the whole text of an
  // element with the attribute named in Value::attribute.
  number,
  // A number from which the position of a slider can be computed.
  average,
  // A share of votes between 0 and 1. The share must be the value of a meter element whose
  // data-stat attribute contains the name of the share.
  share,
  // Human-readable text, which is allowed in the text of elements and in the aria-label and title
  // attributes.
  label,
};

struct Value {
  std::string_view name;
  ValueKind kind;
  // If "kind" is "root", "attribute" is the name of the root element's attribute that contains the
  // value. If "kind" is "number", the attribute is data-count or data-stat.
  std::string_view attribute = {};
  std::string_view stat = {};   // for the kind "number": the value of the attribute
  std::string_view scale = {};  // for the kind "average": the value of data-scale
};

// Returns the description of the template value with the given name, or nullptr if no such value
// exists.
[[nodiscard]] const Value* find_value(std::string_view name);

// Returns the markers in "text", in order. The result contains pointers into "text". Does not check
// whether each section has both a start marker and an end marker. If a marker is invalid, the error
// is a sentence that contains the marker.
[[nodiscard]] tl::expected<std::vector<Marker>, std::string> read_markers(std::string_view text);

}  // namespace templates
