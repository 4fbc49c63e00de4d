#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace base {

// "1 second", "5 seconds": a number with its noun, for messages.
template <std::integral Number>
[[nodiscard]] std::string counted(Number n, std::string_view one, std::string_view many) {
  return std::to_string(n).append(" ").append(n == 1 ? one : many);
}

}  // namespace base
