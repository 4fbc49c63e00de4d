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

// Cuts a file that comes in pieces into rows, whatever is in it, with memory for one row only.
// Empty lines and a byte order mark are passed over. Used by one thread.
class RowReader {
 public:
  // A template with all its characters escaped fits.
  static constexpr std::size_t kMaxRow = 262'144;  // bytes

  // A row, or a sentence that says why it is none; "line" is where it begins, from 1.
  using Members = tl::expected<json::Value::Object, std::string>;
  using Take = std::function<void(std::int64_t line, const Members& members)>;

  explicit RowReader(Format format) : format_(format) {}

  // Takes the next piece of the file; "take" hears each row that ends in it.
  void read(std::string_view piece, const Take& take);
  // The file has ended.
  void finish(const Take& take);

 private:
  void end_row(const Take& take);
  Members parse(std::string_view text);
  Members parse_csv(std::string_view text);

  const Format format_;
  std::string row_;  // what has come of it
  std::int64_t line_ = 1, first_line_ = 1;
  bool in_quotes_ = false;
  bool is_too_long_ = false;
  std::vector<std::string> columns_;  // of a CSV file
};

}  // namespace transfer
