#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace db {

// Binds a row that consists of a single value.
struct BindValue {
  void operator()(Statement& statement, const auto& value) const { statement.bind(value); }
};

// A statement for many rows, such as "INSERT INTO t VALUES (?,?),(?,?)".
//
// To limit the number of prepared statements, a session prepares the SQL only for the row counts
// returned by prepared_rows(). If a batch has fewer rows than the statement, the batch is padded
// with copies of its last row. Duplicate rows must not change the statement's result. If binding a
// row twice would have side effects, "bind" must take a third argument, which is true for a
// repeated row. Large batches contain kManyRows rows, to save round trips. In a multi-statement
// packet (db/multi_statement.h), all rows are in one statement, which is not prepared.
class BulkStatement {
 public:
  struct Shape {
    std::string_view head;
    std::string_view row;        // the SQL for one row, with its parameters
    std::string_view separator;  // the separator between rows
    std::string_view tail;
  };
  static constexpr std::size_t kMaxRows = 64;
  static constexpr std::size_t kManyRows = 512;

  // The strings in "shape" must outlive the BulkStatement.
  explicit constexpr BulkStatement(const Shape& shape) : shape_(shape) {}

  // Runs the statement for "rows" in order. Each batch contains either exactly kManyRows rows or at
  // most kMaxRows rows. Calls "bind(Statement&, const Row&)" or "bind(Statement&, const Row&, bool
  // is_repetition)" to bind each row. Returns the number of changed rows. With ON DUPLICATE KEY
  // UPDATE, an inserted row counts as one changed row, and an updated row counts as two changed
  // rows.
  template <std::ranges::forward_range Range, typename Bind = BindValue>
  std::uint64_t execute(Connection& connection, const Range& rows, const Bind& bind = {}) const {
    std::uint64_t changed = 0;
    for_chunks(connection, rows, bind,
               [&](Statement& statement) { changed += statement.execute(); });
    return changed;
  }

  // Runs the statement as a query for "rows", in the same batches as execute(). Calls "read(Rows&)"
  // for each row in the result.
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

  // Rounds "count" up to a number with at most three significant bits, such as 8, 10, 12, 14, 16,
  // 20 or 24. Rounding up increases the number of rows by less than 25%.
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

// Returns the SQL for a row with "count" parameters, such as "(?,?)".
[[nodiscard]] inline std::string marks(std::size_t count) {
  std::string text = "(?";
  for (std::size_t i = 1; i < count; ++i) text += ",?";
  return text + ")";
}

// Returns the elements of a container, such as a set, as a vector. A BulkStatement does not need a
// vector, because it accepts any container.
template <typename Container>
auto rows_of(const Container& container) {
  return std::vector(container.begin(), container.end());
}

}  // namespace db
