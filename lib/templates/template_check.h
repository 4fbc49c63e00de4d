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
// problems, which is empty if the template is valid. All texts must be UTF-8.
[[nodiscard]] std::vector<TemplateProblem> check_template(model::Template& widget_template);

// --- The parts of the check ----------------------------------------------------------------------

// Returns nothing if "html" is valid for a template in "category". If not, returns a sentence with
// the reason.
//
// The HTML must be free of parse errors. The HTML must have one root element with the attributes
// that describe the widget, such as data-object-id="{{OBJECT_ID}}". Only a fixed set of elements
// and attributes is allowed, without scripts, event handlers, styles, URLs and ids. Controls must
// be buttons or sliders with a data-value that is valid in the category. Markers are allowed only
// where their values are safe and where ratingd-widget.js updates the values. A section must end in
// the element in which it begins, so that the HTML is also well-formed without the section. The
// file templates/html_tags.h defines further limits.
[[nodiscard]] std::optional<std::string> refuse_html(std::string_view html,
                                                     model::Category category);

// Checks the CSS of a template and scopes each rule to widgets that use the template "slug". For
// example, ".x" becomes "[data-template="slug"] .x". So the CSS affects nothing else on the page
// and loads nothing. However, a widget can still overlap adjacent content. As in CSS nesting, the
// selector "&" selects the root element of the widget. The selector [data-template="..."] with any
// slug also selects the root element, so that the result can be checked again, even for a different
// slug. Comments are removed.
//
// The CSS may contain style rules, @media, @supports, @container, and a list of functions without
// url(). Backslashes, "<", nested style rules and "position: fixed" are refused.
//
// If the CSS is refused, the error is a sentence with the reason.
[[nodiscard]] tl::expected<std::string, std::string> scope_css(std::string_view css,
                                                               std::string_view slug);

// A marker in the HTML of a template. The marker {{NAME}} is replaced by a value. The text between
// the markers {{#COUNTS}} and {{/COUNTS}} is omitted in widgets without counts. All other markers
// are refused, because modifiers, pragmas, includes and comments can disable the escaping by
// ctemplate.
struct Marker {
  enum class Kind { value, section_start, section_end };

  Kind kind;
  std::string_view name;   // the name, which points into the input
  std::string_view whole;  // the whole marker, including the braces
};

// The type of a value, which determines where a template may use the value.
enum class ValueKind {
  root,     // a property of the widget, which is the whole value of an attribute of the root
            // element
  number,   // a number of votes, or text that depends on the number, which is the whole text of an
            // element with the attributes in Value
  average,  // a number that can also be the position of a slider
  share,    // a share of votes between 0 and 1, which is the value of a meter with this name as
            // data-stat
  label,    // words for people, in texts and in the attributes aria-label and title
};

struct Value {
  std::string_view name;
  ValueKind kind;
  std::string_view attribute = {};  // the attribute for the kind "root", or data-count or data-stat
                                    // for the kind "number"
  std::string_view stat = {};       // the value of the attribute for the kind "number"
  std::string_view scale = {};      // the value of data-scale for the kind "average"
};

// Returns the value "name", or nullptr if the value does not exist.
[[nodiscard]] const Value* find_value(std::string_view name);

// Returns the markers in "text", in order. The markers point into "text". Does not check that
// section markers match. If a marker is invalid, the error is a sentence with the invalid marker.
[[nodiscard]] tl::expected<std::vector<Marker>, std::string> read_markers(std::string_view text);

}  // namespace templates
