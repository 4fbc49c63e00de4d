#pragma once

#include <string>
#include <vector>

namespace db {

// Conditions on the order of the columns of a key, as index ranges: neither MariaDB nor MySQL uses
// an index for (a, b) > (?, ?). Each has parameters for the first column, then for the first and
// the second one, and so on.
[[nodiscard]] inline std::string compared(const std::vector<std::string>& columns,
                                          const char* comparison, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += i == 0 ? "(" : " OR (";
    for (std::size_t j = 0; j < i; ++j) text.append(columns[j]).append(" = ? AND ");
    text += columns[i] + (i + 1 == columns.size() ? last : comparison) + "?)";
  }
  return "(" + text + ")";
}

// The rows after a key, and the rows up to a key, which is included.
[[nodiscard]] inline std::string after(const std::vector<std::string>& columns) {
  return compared(columns, " > ", " > ");
}
[[nodiscard]] inline std::string up_to(const std::vector<std::string>& columns) {
  return compared(columns, " < ", " <= ");
}

}  // namespace db
