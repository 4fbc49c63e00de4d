#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace model {

// What a text may be.
struct TextLimits {
  enum class Lines { one, several };
  bool may_be_empty = true;
  std::size_t maximum = 0;  // characters (code points)
  Lines lines = Lines::one;
};

struct TextRefusal {
  bool is_too_long = false;
  std::string message;  // a sentence that says what is allowed
};

// Why "text", the value of "name", is refused; nothing if it is not. Control characters always are,
// but for tabs and line breaks in several lines. REQUIRES: UTF-8.
[[nodiscard]] std::optional<TextRefusal> refuse_text(std::string_view name, std::string_view text,
                                                     const TextLimits& limits);

}  // namespace model
