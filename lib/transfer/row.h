#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/message.h"
#include "json/codec.h"
#include "model/setting.h"
#include "model/template.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// The format of a file: a JSON object per line, or CSV (RFC 4180) with a header of column names.
enum class Format { ndjson, csv };

// A setting and its validated value.
struct SettingRow {
  const model::Setting* setting = nullptr;  // nullptr: see "retired"
  model::SettingValue value = {};
  std::optional<base::Message> retired = {};  // model::retirement_of()
};

// The last row of a file. A file without it is incomplete.
struct EndRow {
  std::uint64_t rows = 0;  // before it
};

// The content of one row of a file.
using Row =
    std::variant<transfer::StoredRating, rollups::Aggregate, SettingRow, model::Template, EndRow>;

// What a file contains, in this order.
struct Scopes {
  bool ratings = false;  // and aggregates
  bool settings = false;
  bool templates = false;
};

// Writes the rows of one file. Used by one thread.
class RowWriter {
 public:
  RowWriter(Format format, const Scopes& scopes);

  // Writes the header, if the format has one.
  void begin(std::string& out) const;
  void write(const Row& row, std::string& out) const;

 private:
  const Format format_;
  std::vector<std::string_view> columns_;
};

// Reads a row from its members. A rating must be valid for POST /rate, with a value up to 1, and a
// template for POST /templates. No time may be after "now". For CSV files, numbers may be strings,
// and empty strings and null are absent members. Unknown members are ignored. Errors: a sentence
// for the author of the file.
[[nodiscard]] tl::expected<Row, base::Message> read_row(const json::Value::Object& row,
                                                        base::Time now);

}  // namespace transfer
