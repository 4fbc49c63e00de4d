#include "transfer/row_file.h"

#include <algorithm>
#include <utility>

#include "base/csv.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "store/settings_store.h"
#include "transfer/row.h"

namespace transfer {
namespace {

using base::Message;

constexpr std::string_view kGzipMark = "\x1F\x8B";  // the first bytes of a file (RFC 1952)

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
    // If a row is too long, its closing quotation mark may be missing, so the next line starts a
    // new row.
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
  if (is_first && text.starts_with(kGzipMark)) {
    is_binary_ = true;
    on_row(1, tl::unexpected(Message("Please decompress the file first.")));
  } else if (is_first && (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
                          text.find('\0') != std::string_view::npos)) {
    is_binary_ = true;
    on_row(1, tl::unexpected(
                  Message("The file is encoded in UTF-16. Please save the file in UTF-8.")));
  }
  if (is_first && text.starts_with(kByteOrderMark)) text.remove_prefix(3);
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (is_binary_) {
    // Skip the row, because the error about the file's encoding is reported only once per file.
  } else if (is_too_long_) {
    on_row(first_line_,
           tl::unexpected(
               Message("The row is longer than {maximum} bytes, or a quotation mark is not closed.",
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

// Reads the line with the column names, or the line "sep=;" before the column names. Chooses the
// separator that yields a "kind" column, because every file has this column.
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
    return tl::unexpected(Message("The line is not JSON: {error} at byte {offset}.",
                                  {{"error", value.error().message},
                                   {"offset", static_cast<std::int64_t>(value.error().offset)}}));
  }
  auto* members = std::get_if<json::Value::Object>(&value->data);
  if (members == nullptr) return tl::unexpected(Message("The line is not a JSON object."));
  return std::move(*members);
}

RowReader::Members RowReader::parse_csv(std::string_view text) {
  if (!base::is_utf8(text)) return tl::unexpected(Message("The row is not encoded in UTF-8."));
  auto fields = base::parse_csv_record(text, separator_);
  if (!fields) {
    return tl::unexpected(Message("The row contains a quotation mark in the wrong place."));
  }
  if (fields->size() != columns_.size()) {
    return tl::unexpected(Message(
        "This row has a different number of fields ({number}) than the first row ({columns}).",
        {{"number", static_cast<std::int64_t>(fields->size())},
         {"columns", static_cast<std::int64_t>(columns_.size())}}));
  }
  json::Value::Object members;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!(*fields)[i].empty()) members.emplace_back(columns_[i], json::Value{(*fields)[i]});
  }
  return members;
}

// --- RowWriter -----------------------------------------------------------------------------------

namespace {

using model::RatingKey;

// A named value in a row. In CSV files, a list is written as items with spaces between them.
struct Cell {
  enum class Kind { number, text, numbers, texts };
  std::string_view column;
  std::string text;
  Kind kind = Cell::Kind::text;
  std::string json = {};  // replaces the JSON that "kind" would produce
};
using Cells = std::vector<Cell>;

constexpr std::string_view kRatingColumns[] = {
    "object_id", "object_type", "category",   "user_id",  "visitor", "issuer",
    "subject",   "value",       "created_at", "rated_at", "reason",  "held",
    "held_at",   "day",         "source",     "sum",      "bins",    "last_rated_at"};
constexpr std::string_view kSettingColumns[] = {"name", "value"};
constexpr std::string_view kTemplateColumns[] = {"slug",        "name", "category",
                                                 "description", "html", "css"};

std::string decimal(std::int64_t thousandths) {
  std::string text;
  json::Writer(text).decimal(thousandths, 3);
  return text;
}

void add_object(Cells& cells, const model::Object& object, model::Category category) {
  cells.push_back({"object_id", std::to_string(object.id), Cell::Kind::number});
  cells.push_back({"object_type", object.type});
  cells.push_back({"category", std::string(name_of(category))});
}

std::string visitor_name(model::VoterId voter) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(voter >> shift);
  return "v" + base::to_hex(bytes);
}

Cells cells_of(const transfer::StoredRating& rating) {
  const RatingKey& key = rating.key;
  Cells cells{{"kind", "rating"}};
  add_object(cells, key.object, key.category);
  if (model::is_anonymous(key.voter)) {
    cells.push_back({"visitor", visitor_name(key.voter)});
  } else {
    cells.push_back({"user_id", std::to_string(key.voter), Cell::Kind::number});
  }
  if (rating.visitor) {
    cells.push_back({"issuer", rating.visitor->issuer});
    cells.push_back({"subject", rating.visitor->subject});
  }
  cells.push_back({"value", decimal(rating.value), Cell::Kind::number});
  cells.push_back({"created_at", base::to_exact_rfc3339(rating.created_at)});
  cells.push_back({"rated_at", base::to_exact_rfc3339(rating.rated_at)});
  if (!rating.reason.empty()) cells.push_back({"reason", rating.reason});
  if (!rating.hold) return cells;
  cells.push_back(
      {"held", base::joined(votes::names_of(rating.hold->reasons), " "), Cell::Kind::texts});
  cells.push_back({"held_at", base::to_exact_rfc3339(rating.hold->held_at)});
  return cells;
}

Cells cells_of(const rollups::Aggregate& aggregate) {
  const auto& [key, sums] = aggregate;
  Cells cells{{"kind", "balance"}};
  add_object(cells, key.object, key.category);
  cells.push_back({"day", base::to_date(key.day)});
  cells.push_back({"source", key.source});
  cells.push_back({"sum", decimal(sums.sum), Cell::Kind::number});
  const auto in_digits = [](std::int64_t bin) { return std::to_string(bin); };
  cells.push_back({"bins", base::joined(sums.bins, " ", in_digits), Cell::Kind::numbers});
  const base::Time last = sums.last_rated_at.value_or(base::Time(rollups::kNeverActive));
  cells.push_back({"last_rated_at", base::to_exact_rfc3339(last)});
  return cells;
}

Cells cells_of(const SettingRow& row) {
  std::string value;
  json::Writer writer(value);
  store::write_setting_value(writer, row.value);
  return {{"kind", "setting"},
          {"name", std::string(row.setting->name)},
          {"value", model::to_text(row.value), Cell::Kind::text, value}};
}

Cells cells_of(const model::Template& widget_template) {
  return {{"kind", "template"},
          {"slug", widget_template.slug},
          {"name", widget_template.name},
          {"category", std::string(name_of(widget_template.category))},
          {"description", widget_template.description},
          {"html", widget_template.html},
          {"css", widget_template.css}};
}

Cells cells_of(const EndRow& end) {
  return {{"kind", "end"}, {"rows", std::to_string(end.rows), Cell::Kind::number}};
}

void write_list(json::Writer& json, const Cell& cell) {
  json.begin_array();
  for (std::string_view rest = cell.text; !rest.empty();) {
    const std::string_view item = base::take_until(rest, ' ');
    cell.kind == Cell::Kind::numbers ? json.raw(item) : json.string(item);
  }
  json.end_array();
}

void write_json(const Cells& cells, std::string& out) {
  json::Writer json(out);
  json.begin_object();
  for (const Cell& cell : cells) {
    json.key(cell.column);
    if (!cell.json.empty()) {
      json.raw(cell.json);
    } else if (cell.kind == Cell::Kind::number) {
      json.raw(cell.text);
    } else if (cell.kind == Cell::Kind::text) {
      json.string(cell.text);
    } else {
      write_list(json, cell);
    }
  }
  json.end_object();
  out += '\n';
}

void write_csv(const Cells& cells, const std::vector<std::string_view>& columns, std::string& out) {
  for (const std::string_view column : columns) {
    if (column != columns.front()) out += ',';
    const auto cell = std::ranges::find(cells, column, &Cell::column);
    if (cell == cells.end()) continue;
    out += cell->kind == Cell::Kind::number ? cell->text : base::csv_text(cell->text);
  }
  out += "\r\n";
}

}  // namespace

RowWriter::RowWriter(Format format, const Scopes& scopes) : format_(format), columns_{"kind"} {
  const auto add = [&](bool is_wanted, std::span<const std::string_view> columns) {
    for (const std::string_view column : columns) {
      if (is_wanted && std::ranges::find(columns_, column) == columns_.end()) {
        columns_.push_back(column);
      }
    }
  };
  add(scopes.ratings, kRatingColumns);
  add(scopes.settings, kSettingColumns);
  add(scopes.templates, kTemplateColumns);
  columns_.emplace_back("rows");
}

void RowWriter::begin(std::string& out) const {
  if (format_ != Format::csv) return;
  out += base::joined(columns_, ",") + "\r\n";
}

void RowWriter::write(const Row& row, std::string& out) const {
  const Cells cells = std::visit([](const auto& one) { return cells_of(one); }, row);
  if (format_ == Format::csv) {
    write_csv(cells, columns_, out);
  } else {
    write_json(cells, out);
  }
}

}  // namespace transfer
