#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace templates {

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
