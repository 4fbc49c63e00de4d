#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analytics/rating_lists.h"
#include "api/call.h"
#include "api/fields.h"
#include "json/codec.h"

namespace api {

// A decimal number: value / 10^places.
struct Fraction {
  std::int64_t value = 0;
  int places = 0;

  bool operator==(const Fraction&) const = default;
};

// One value of a list; std::monostate is null.
using Cell = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, Fraction, std::string>;

// A list that can be written as JSON or CSV.
struct Table {
  // "average.binary" is the member "binary" of an object "average" in JSON; columns of one object
  // are adjacent.
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

// A number with four decimals; null for nothing.
[[nodiscard]] Cell average_cell(const std::optional<std::int64_t>& ten_thousandths);

void write_value(json::Writer& json, const Cell& cell);

// Writes the members of one row into an open object.
void write_members(json::Writer& json, const std::vector<std::string>& columns,
                   const std::vector<Cell>& row);

// An array of objects.
void write_table(json::Writer& json, const Table& table);

// RFC 4180, with a header line. Cells that look like formulas are escaped (base/csv.h).
[[nodiscard]] std::string csv_of(const Table& table);

// One page of a list, as WordPress's collections have them.
struct Page {
  std::int64_t number = 1;
  std::int64_t size = 20;

  [[nodiscard]] std::int64_t offset() const { return (number - 1) * size; }
  // The first page of an empty list is valid.
  [[nodiscard]] bool is_past_end(std::int64_t total) const {
    return number > 1 && offset() >= total;
  }
};

// The parameters page and per_page (alias limit).
[[nodiscard]] Page read_page(Fields& fields);

// Rejects the parameter page of a list without pages. A client that counts pages up would get the
// same items for ever. "message" says what the client can do instead.
void reject_page(Fields& fields, base::Message message);

// Adds X-WP-Total, X-WP-TotalPages, and Link to the pages before and after, if there are any.
void add_page_headers(Answer& answer, const Call& call, const Page& page, std::int64_t total);

// A Link header to the rest of a list, with "value" for the parameter "name".
void add_next_link(Answer& answer, const Call& call, std::string_view name,
                   const std::string& value);

// The position in a list, as clients send it back with the next request. Needs no encoding in a
// query. Does not identify the voter.
[[nodiscard]] std::string write_cursor(const analytics::Cursor& cursor);

// Nothing for text that write_cursor() did not write.
[[nodiscard]] std::optional<analytics::Cursor> read_cursor(std::string_view text);

}  // namespace api
