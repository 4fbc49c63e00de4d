#pragma once

#include <cstddef>
#include <string_view>

namespace base {

// The Levenshtein distance: the number of bytes to insert, remove or change to turn "a" into "b".
// Takes time proportional to the product of both lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace base
