#include "transfer/row_reader.h"

#include <algorithm>
#include <utility>

#include "base/csv.h"
#include "base/text.h"

namespace transfer {
namespace {

using base::Message;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void RowReader::read(std::string_view piece, const OnRow& on_row) {
  const std::string_view ends = format_ == Format::csv ? "\r\n" : "\n";
  while (!piece.empty()) {
    const std::size_t length = std::min(piece.find_first_of(ends), piece.size());
    const std::string_view part = piece.substr(0, length);
    piece.remove_prefix(length);
    if (format_ == Format::csv && std::ranges::count(part, '"') % 2 == 1) in_quotes_ = !in_quotes_;
    is_too_long_ = is_too_long_ || row_.size() + part.size() > kMaxRow;
    if (!is_too_long_) row_ += part;
    if (!part.empty()) follows_return_ = false;
    if (piece.empty()) return;
    const char end = piece.front();
    piece.remove_prefix(1);
    const bool is_of_pair = end == '\n' && follows_return_;
    follows_return_ = false;
    if (is_of_pair) continue;
    // If a row is too long, its closing quote may be missing. So the next line starts a new row.
    const bool is_in_row = in_quotes_ && !is_too_long_;
    if (!is_in_row || end == '\n') ++line_;
    if (is_in_row) {
      row_ += end;
    } else {
      follows_return_ = end == '\r';
      end_row(on_row);
    }
  }
}

void RowReader::finish(const OnRow& on_row) {
  ++line_;
  end_row(on_row);
}

void RowReader::end_row(const OnRow& on_row) {
  std::string_view text = row_;
  const bool is_first = first_line_ == 1;
  if (is_first && (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
                   text.find('\0') != std::string_view::npos)) {
    is_utf16_ = true;
    on_row(1, tl::unexpected(Message("The file is UTF-16. Please save it as UTF-8.")));
  }
  if (is_first && text.starts_with(kByteOrderMark)) text.remove_prefix(3);
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (is_utf16_) {
    // The file was refused as a whole before.
  } else if (is_too_long_) {
    on_row(first_line_, tl::unexpected(Message(
                            "The row is longer than {maximum} bytes, or a quote is not closed.",
                            {{"maximum", static_cast<std::int64_t>(kMaxRow)}})));
  } else if (format_ == Format::csv && columns_.empty() && !text.empty()) {
    read_header(text);
  } else if (!text.empty()) {
    on_row(first_line_, parse(text));
  }
  row_.clear();
  in_quotes_ = false;
  is_too_long_ = false;
  first_line_ = line_;
}

// Reads the names of the columns, or the line "sep=;" before them. The separator is recognized
// between the names of the columns. The column "kind" is always present.
void RowReader::read_header(std::string_view text) {
  constexpr std::string_view kSeparatorLine = "sep=";
  if (text.starts_with(kSeparatorLine) && text.size() == kSeparatorLine.size() + 1) {
    separator_ = text.back();
    return;
  }
  columns_ = {""};
  for (const char separator : {separator_, ',', ';', '\t'}) {
    const auto columns = base::parse_csv_record(text, separator);
    if (!columns || std::ranges::find(*columns, "kind") == columns->end()) continue;
    separator_ = separator;
    columns_ = *columns;
    return;
  }
  columns_ = base::parse_csv_record(text).value_or(columns_);
}

RowReader::Members RowReader::parse(std::string_view text) {
  if (format_ == Format::csv) return parse_csv(text);
  auto value = json::parse(text);
  if (!value) {
    return tl::unexpected(Message("The line is no JSON: {error} at byte {offset}.",
                                  {{"error", value.error().message},
                                   {"offset", static_cast<std::int64_t>(value.error().offset)}}));
  }
  auto* members = std::get_if<json::Value::Object>(&value->data);
  if (members == nullptr) return tl::unexpected(Message("The line is no JSON object."));
  return std::move(*members);
}

RowReader::Members RowReader::parse_csv(std::string_view text) {
  if (!base::is_utf8(text)) return tl::unexpected(Message("The row is not UTF-8."));
  auto fields = base::parse_csv_record(text, separator_);
  if (!fields) return tl::unexpected(Message("A quote stands where none may be."));
  if (fields->size() != columns_.size()) {
    return tl::unexpected(
        Message("The row has another number of fields ({number}) than the first one ({columns}).",
                {{"number", static_cast<std::int64_t>(fields->size())},
                 {"columns", static_cast<std::int64_t>(columns_.size())}}));
  }
  json::Value::Object members;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!(*fields)[i].empty()) members.emplace_back(columns_[i], json::Value{(*fields)[i]});
  }
  return members;
}

}  // namespace transfer
