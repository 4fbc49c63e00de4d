#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "db/connection.h"

namespace db {

// Returns an SQL condition that selects all rows after a given key. "columns" lists the key's
// columns. MariaDB and MySQL can use an index for the returned condition, but not for the condition
// (a, b) > (?, ?). For the columns a, b and c, the condition has six parameters: the values of a,
// a, b, a, b and c, in this order. Use position() to bind a key to the condition's parameters.
[[nodiscard]] inline std::string after(const std::vector<std::string>& columns) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += i == 0 ? "(" : " OR (";
    for (std::size_t j = 0; j < i; ++j) text.append(columns[j]).append(" = ? AND ");
    text += columns[i] + " > ?)";
  }
  return "(" + text + ")";
}

// Binds a key to the parameters of the SQL condition returned by after(). The key's columns must
// outlive this object.
template <typename... Columns>
struct Position {
  std::tuple<const Columns&...> key;

  void bind_to(Statement& statement) const {
    for (std::size_t count = 1; count <= sizeof...(Columns); ++count) {
      std::apply([&](const auto&... columns) { bind_first(statement, count, columns...); }, key);
    }
  }

 private:
  static void bind_first(Statement& statement, std::size_t count, const Columns&... columns) {
    std::size_t place = 0;
    ((place++ < count ? void(statement.bind(columns)) : void()), ...);
  }
};
template <typename... Columns>
[[nodiscard]] Position<Columns...> position(const Columns&... columns) {
  return {{columns...}};
}

}  // namespace db
