#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/connection.h"

namespace db {

// One statement over many rows, such as INSERT ... VALUES (?,?),(?,?) ON DUPLICATE KEY UPDATE ...
//
// It is prepared for 1, 2, 4 ... kMaxRows rows only, so that a session keeps few statements; what
// is missing to the next such number is filled up with repetitions of the last row, which the
// statement must be able to bear: the caller's "bind" is told and binds a row without effect.
class BulkStatement {
 public:
  struct Shape {
    std::string head;
    std::string row;        // one row's text with its parameters
    std::string separator;  // between rows
    std::string tail;
  };
  static constexpr std::size_t kMaxRows = 64;

  explicit BulkStatement(Shape shape) : shape_(std::move(shape)) {}

  // Runs the statement over "rows", in their order, at most kMaxRows at a time.
  // "bind(Statement&, const Row&, bool is_repetition)" binds one row. Returns the number of rows it
  // changed, as the database counts them.
  template <typename Row, typename Bind>
  std::uint64_t execute(Connection& connection, std::span<const Row> rows, const Bind& bind) const {
    std::uint64_t changed = 0;
    for_chunks(connection, rows, bind,
               [&](Statement& statement) { changed += statement.execute(); });
    return changed;
  }

  // The same for a query; "read(Rows&)" is called for each row of the answer.
  template <typename Row, typename Bind, typename Read>
  void query(Connection& connection, std::span<const Row> rows, const Bind& bind,
             const Read& read) const {
    for_chunks(connection, rows, bind, [&](Statement& statement) {
      for (Rows answer = statement.query(); answer.next();) read(answer);
    });
  }

 private:
  template <typename Row, typename Bind, typename Run>
  void for_chunks(Connection& connection, std::span<const Row> rows, const Bind& bind,
                  const Run& run) const {
    while (!rows.empty()) {
      const std::size_t count = std::min(rows.size(), kMaxRows);
      const std::size_t padded = std::bit_ceil(count);
      Statement& statement = connection.prepare(text(padded));
      for (std::size_t i = 0; i < padded; ++i) {
        bind(statement, rows[std::min(i, count - 1)], i >= count);
      }
      run(statement);
      rows = rows.subspan(count);
    }
  }

  [[nodiscard]] std::string text(std::size_t rows) const {
    std::string text = shape_.head;
    for (std::size_t i = 0; i < rows; ++i) {
      if (i > 0) text += shape_.separator;
      text += shape_.row;
    }
    return text + shape_.tail;
  }

  const Shape shape_;
};

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
