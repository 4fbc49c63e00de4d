#pragma once

#include <string>
#include <string_view>

namespace base {

// The texts of a range, with "separator" between them.
template <typename Texts>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view separator = ", ") {
  std::string all;
  for (const auto& text : texts) all.append(all.empty() ? "" : separator).append(text);
  return all;
}

}  // namespace base
