#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "json/codec.h"
#include "model/setting.h"
#include "model/template.h"
#include "transfer/bulk_ratings.h"

namespace transfer {

// How a file looks: a JSON object in each line, or RFC 4180 with the columns' names first.
enum class Format { ndjson, csv };

// A setting and its value, which was accepted.
struct SettingRow {
  const model::Setting* setting = nullptr;
  model::SettingValue value;
};

// The last row of a file: its absence shows that the file is not whole.
struct EndRow {
  std::uint64_t rows = 0;  // before it
};

// What one row of a file says.
using Row =
    std::variant<transfer::StoredRating, rollups::Aggregate, SettingRow, model::Template, EndRow>;

// What a file is about. Their rows come in this order.
struct Scopes {
  bool ratings = false;  // and balances
  bool settings = false;
  bool templates = false;
};

// Writes the rows of one file. Used by one thread.
class RowWriter {
 public:
  RowWriter(Format format, const Scopes& scopes);

  // What stands before the first row.
  void begin(std::string& out) const;
  void write(const Row& row, std::string& out) const;

 private:
  const Format format_;
  std::vector<std::string_view> columns_;
};

// What the members of "row" say: a rating must be as POST /rate takes it, with a value of a maximum
// of 1, and a template as POST /templates does; no time lies after "now". Texts of numbers count as
// numbers, and empty texts and null as absent, as a CSV file has them. Unknown members are ignored.
// Errors: a sentence for whoever made the file.
[[nodiscard]] tl::expected<Row, std::string> read_row(const json::Value::Object& row,
                                                      base::Time now);

}  // namespace transfer
