#include "api/table.h"

#include <string_view>

#include "base/csv.h"

namespace api {
namespace {

std::string cell_as_csv(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return {};
  if (const auto* text = std::get_if<std::string>(&cell)) return base::csv_text(*text);
  std::string number;  // same text in both formats
  json::Writer json(number);
  write_value(json, cell);
  return number;
}

}  // namespace

Cell average_cell(const std::optional<std::int64_t>& ten_thousandths) {
  if (!ten_thousandths) return {};
  return Fraction{*ten_thousandths, 4};
}

void write_value(json::Writer& json, const Cell& cell) {
  if (const auto* truth = std::get_if<bool>(&cell)) {
    json.boolean(*truth);
  } else if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    json.integer(*number);
  } else if (const auto* id = std::get_if<std::uint64_t>(&cell)) {
    json.unsigned_integer(*id);
  } else if (const auto* fraction = std::get_if<Fraction>(&cell)) {
    json.decimal(fraction->value, fraction->places);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    json.string(*text);
  } else {
    json.null();
  }
}

void write_members(json::Writer& json, const std::vector<std::string>& columns,
                   const std::vector<Cell>& row) {
  std::string_view open;  // the object of the last column
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string_view column = columns[i];
    const std::size_t dot = column.find('.');
    const std::string_view object = dot == std::string_view::npos ? "" : column.substr(0, dot);
    if (object != open) {
      if (!open.empty()) json.end_object();
      if (!object.empty()) json.key(object).begin_object();
      open = object;
    }
    json.key(object.empty() ? column : column.substr(dot + 1));
    write_value(json, row[i]);
  }
  if (!open.empty()) json.end_object();
}

void write_table(json::Writer& json, const Table& table) {
  json.begin_array();
  for (const auto& row : table.rows) {
    json.begin_object();
    write_members(json, table.columns, row);
    json.end_object();
  }
  json.end_array();
}

std::string csv_of(const Table& table) {
  std::string text;
  for (const std::string& column : table.columns) {
    if (!text.empty()) text += ',';
    text += base::csv_text(column);
  }
  text += "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += cell_as_csv(row[i]);
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace api
