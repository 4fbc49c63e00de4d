#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "json/codec.h"
#include "transfer/row.h"

namespace transfer {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // of a file in UTF-8

// Reads a file piece by piece and splits it into rows. Accepts arbitrary bytes, and never holds
// more than one row in memory. Skips empty lines and a byte order mark. Accepts CSV files from
// spreadsheet programs, which may use commas, semicolons or tabs as separators, begin with the line
// "sep=;", and end lines with carriage returns. The class is not thread-safe.
class RowReader {
 public:
  // The maximum row size allows the longest template, even if all its characters are escaped.
  static constexpr std::size_t kMaxRow = 262'144;  // bytes

  // The members of a row, or an error message. The "line" argument is the number of the row's first
  // line, counted from 1.
  using Members = tl::expected<json::Value::Object, base::Message>;
  using OnRow = std::function<void(std::int64_t line, const Members& members)>;

  explicit RowReader(Format format) : format_(format) {}

  // Reads the next piece of the file and calls "on_row" for each row that ends in this piece.
  void read(std::string_view piece, const OnRow& on_row);
  // Reads the last row in the file. Call this function at the end of the file.
  void finish(const OnRow& on_row);

 private:
  void end_row(const OnRow& on_row);
  void read_header(std::string_view text);
  Members parse(std::string_view text);
  Members parse_csv(std::string_view text);

  const Format format_;
  std::string row_;  // the bytes of the current row so far
  std::int64_t line_ = 1, first_line_ = 1;
  bool in_quotes_ = false;
  bool is_too_long_ = false;
  bool is_binary_ = false;            // the file is compressed or encoded in UTF-16
  bool follows_return_ = false;       // the last byte was a carriage return that ended a row
  char separator_ = ',';              // only in CSV files
  std::vector<std::string> columns_;  // only in CSV files
};

// Writes the rows of a file. The class is not thread-safe.
class RowWriter {
 public:
  RowWriter(Format format, const Scopes& scopes);

  // Writes the header if the format has a header.
  void begin(std::string& out) const;
  void write(const Row& row, std::string& out) const;

 private:
  const Format format_;
  std::vector<std::string_view> columns_;
};

}  // namespace transfer
