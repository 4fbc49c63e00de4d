#pragma once

#include <cstddef>
#include <string_view>

namespace base {

// Levenshtein's distance: how many bytes to insert, remove or change to make "b" of "a". Takes time
// in proportion to the product of both lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace base
