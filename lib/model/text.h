#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/message.h"

namespace model {

// The requirements for a string in a request.
struct TextLimits {
  enum class Lines { one, several };
  bool may_be_empty = true;
  std::size_t maximum = 0;  // characters (code points)
  Lines lines = Lines::one;
};

struct TextRefusal {
  bool is_too_long = false;
  base::Message message;  // a sentence that says what is allowed
};

// Returns the error message if "text" is invalid. Otherwise, returns nothing. "name" is the
// string's name in the error message. Control characters are always rejected, except for tabs and
// line breaks in multi-line strings. "text" must be UTF-8.
[[nodiscard]] std::optional<TextRefusal> refuse_text(std::string_view name, std::string_view text,
                                                     const TextLimits& limits);

}  // namespace model
