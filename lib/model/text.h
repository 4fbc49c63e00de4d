#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/message.h"

namespace model {

// Limits of a text.
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

// The reason for rejecting "text", the value of "name"; nothing if it is valid. Control characters
// are always rejected, except for tabs and line breaks in multi-line texts. REQUIRES: UTF-8.
[[nodiscard]] std::optional<TextRefusal> refuse_text(std::string_view name, std::string_view text,
                                                     const TextLimits& limits);

}  // namespace model
