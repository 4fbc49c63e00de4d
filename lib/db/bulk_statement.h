#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace db {

// Binds a row that is one value.
struct BindValue {
  void operator()(Statement& statement, const auto& value) const { statement.bind(value); }
};

// One statement over many rows, such as INSERT ... VALUES (?,?),(?,?) ON DUPLICATE KEY UPDATE ...
//
// The statement is prepared only for the row counts of prepared_rows(), so a session holds few
// statements. A smaller batch is padded to the next such count by repeating its last row, which
// must have no effect: if binding it again would have one, "bind" takes a third argument that says
// so. Bulk operations, with many rows at once, run it for kManyRows at a time, which saves round
// trips. While statements are collected (db/multi_statement.h), nothing is prepared: one statement
// has all rows.
class BulkStatement {
 public:
  struct Shape {
    std::string_view head;
    std::string_view row;        // one row's text with its parameters
    std::string_view separator;  // between rows
    std::string_view tail;
  };
  static constexpr std::size_t kMaxRows = 64;
  static constexpr std::size_t kManyRows = 512;

  // The texts must outlive it.
  explicit constexpr BulkStatement(const Shape& shape) : shape_(shape) {}

  // Runs the statement for "rows", in order, kManyRows or at most kMaxRows at a time.
  // "bind(Statement&, const Row&)" or "bind(Statement&, const Row&, bool is_repetition)" binds one
  // row. Returns the number of changed rows; with ON DUPLICATE KEY UPDATE a new row counts one and
  // a changed row two.
  template <std::ranges::forward_range Range, typename Bind = BindValue>
  std::uint64_t execute(Connection& connection, const Range& rows, const Bind& bind = {}) const {
    std::uint64_t changed = 0;
    for_chunks(connection, rows, bind,
               [&](Statement& statement) { changed += statement.execute(); });
    return changed;
  }

  // The same for a query; "read(Rows&)" is called for each row of the answer.
  template <std::ranges::forward_range Range, typename Bind, typename Read>
  void query(Connection& connection, const Range& rows, const Bind& bind, const Read& read) const {
    for_chunks(connection, rows, bind, [&](Statement& statement) {
      for (Rows answer = statement.query(); answer.next();) read(answer);
    });
  }
  template <std::ranges::forward_range Range, typename Read>
  void query(Connection& connection, const Range& rows, const Read& read) const {
    query(connection, rows, BindValue(), read);
  }

 private:
  template <typename Range, typename Bind, typename Run>
  void for_chunks(Connection& connection, const Range& rows, const Bind& bind,
                  const Run& run) const {
    auto next = std::ranges::begin(rows);
    auto left = static_cast<std::size_t>(std::ranges::distance(rows));
    while (left > 0) {
      const std::size_t count = rows_at_once(connection, left);
      const std::size_t padded = connection.collects() ? count : prepared_rows(count);
      Statement& statement = connection.prepare(text(padded));
      auto last = next;
      for (std::size_t i = 0; i < padded; ++i) {
        if (i < count) last = next++;
        if constexpr (std::invocable<const Bind&, Statement&, decltype(*last), bool>) {
          bind(statement, *last, i >= count);
        } else {
          bind(statement, *last);
        }
      }
      run(statement);
      left -= count;
    }
  }

  static std::size_t rows_at_once(const Connection& connection, std::size_t rows) {
    if (connection.collects()) return rows;
    return rows >= kManyRows ? kManyRows : std::min(rows, kMaxRows);
  }

  // The next number with three significant bits: ... 8, 10, 12, 14, 16, 20, 24 ... 56, 64. Few rows
  // are repeated, because each repetition costs the server as much as a row with an effect.
  static constexpr std::size_t prepared_rows(std::size_t count) {
    const std::size_t step = std::max<std::size_t>(std::bit_floor(count) / 4, 1);
    return (count + step - 1) / step * step;
  }

  [[nodiscard]] std::string text(std::size_t rows) const {
    std::string text(shape_.head);
    for (std::size_t i = 0; i < rows; ++i) {
      if (i > 0) text += shape_.separator;
      text += shape_.row;
    }
    return text.append(shape_.tail);
  }

  const Shape shape_;
};

// "(?,?,...)", a row of "count" parameters.
[[nodiscard]] inline std::string marks(std::size_t count) {
  std::string text = "(?";
  for (std::size_t i = 1; i < count; ++i) text += ",?";
  return text + ")";
}

// The elements of a container, as the rows of a statement.
template <typename Container>
auto rows_of(const Container& container) {
  return std::vector(container.begin(), container.end());
}

template <typename Row>
std::span<const Row> span_of(const std::vector<Row>& rows) {
  return rows;
}

}  // namespace db
