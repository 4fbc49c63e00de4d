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
#include "model/settings.h"
#include "model/template.h"
#include "transfer/bulk_rows.h"

namespace transfer {

// The format of an import or export file. An NDJSON file has a JSON object on each line. A CSV file
// (RFC 4180) has a header with the column names.
enum class Format { ndjson, csv };

// A setting and its validated value.
struct SettingRow {
  const model::Setting* setting = nullptr;  // nullptr if "retired" is set
  model::SettingValue value = {};
  std::optional<base::Message> retired = {};  // model::retirement_of(), if the setting is retired
};

// The last row in a file. A file without an end row is incomplete.
struct EndRow {
  std::uint64_t rows = 0;  // the number of rows before this row
};

// The content of one row in a file.
using Row =
    std::variant<transfer::StoredRating, rollups::Aggregate, SettingRow, model::Template, EndRow>;

// Selects which parts an export file contains. An export file contains ratings, settings and
// templates, in that order.
struct Scopes {
  bool ratings = false;  // ratings and aggregates
  bool settings = false;
  bool templates = false;
};

// Reads a row from its members. A rating must be valid for POST /rate, and its value must be at
// most 1. A template must be valid for POST /templates. Times must not be later than "now". Numbers
// may be strings, as in CSV files. Members that are null or an empty string are treated as absent.
// Unknown members are ignored. If the row is invalid, returns an error message for the author of
// the file.
[[nodiscard]] tl::expected<Row, base::Message> read_row(const json::Value::Object& row,
                                                        base::Time now);

}  // namespace transfer
