#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace base {

// Joins the elements of a range, with "separator" between them. "text_of" turns each element into
// text.
template <typename Texts, typename TextOf = std::identity>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view separator = ", ",
                                 const TextOf& text_of = {}) {
  std::string all;
  for (const auto& each : texts) {
    all.append(all.empty() ? "" : separator).append(std::invoke(text_of, each));
  }
  return all;
}

}  // namespace base
