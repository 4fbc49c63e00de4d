#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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

}  // namespace api
