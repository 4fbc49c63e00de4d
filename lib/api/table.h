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

// The decimal number value / 10^places.
struct Fraction {
  std::int64_t value = 0;
  int places = 0;

  bool operator==(const Fraction&) const = default;
};

// A value in a table. In JSON, std::monostate is written as null.
using Cell = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, Fraction, std::string>;

struct Table {
  // In JSON, the "average.binary" column becomes the "binary" member of the "average" object.
  // Columns for the same object must be adjacent.
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

// Returns a cell with four decimal places, or a null cell if "ten_thousandths" is empty.
[[nodiscard]] Cell average_cell(const std::optional<std::int64_t>& ten_thousandths);

void write_value(json::Writer& json, const Cell& cell);

// Writes the members of one row into an open JSON object.
void write_members(json::Writer& json, const std::vector<std::string>& columns,
                   const std::vector<Cell>& row);

// Writes the rows as a JSON array of objects.
void write_table(json::Writer& json, const Table& table);

// Returns the table as CSV (RFC 4180) with a header line. Cells that look like formulas are escaped
// (base/csv.h).
[[nodiscard]] std::string csv_of(const Table& table);

// One page of a list. Page numbers start at 1, as in WordPress's REST API.
struct Page {
  std::int64_t number = 1;
  std::int64_t size = 20;

  [[nodiscard]] std::int64_t offset() const { return (number - 1) * size; }
  // Returns whether the page is past the end of a list with "total" items. The first page is never
  // past the end, even if the list is empty.
  [[nodiscard]] bool is_past_end(std::int64_t total) const {
    return number > 1 && offset() >= total;
  }
};

// Reads the parameters `page` and `per_page` (or its alias `limit`).
[[nodiscard]] Page read_page(Fields& fields);

// Rejects the `page` parameter for a list without pages. If the parameter were ignored, a client
// that increments the page number would receive the same items forever. "message" tells the client
// what to do instead.
void reject_page(Fields& fields, base::Message message);

// Adds the X-WP-Total and X-WP-TotalPages headers, and a Link header with links to any previous and
// next pages.
void add_page_headers(Answer& answer, const Call& call, const Page& page, std::int64_t total);

// Adds a Link header that points to the rest of a list. The link is the request's URL with the
// query parameter name=value.
void add_next_link(Answer& answer, const Call& call, std::string_view name,
                   const std::string& value);

// Encodes a position in a list as a string that clients send with the next request. The string does
// not need encoding in a query string and does not identify the voter.
[[nodiscard]] std::string write_cursor(const analytics::Cursor& cursor);

// Converts a result of write_cursor() back to the position in the list. Returns nothing if "text"
// is not a valid result of write_cursor().
[[nodiscard]] std::optional<analytics::Cursor> read_cursor(std::string_view text);

}  // namespace api
