#include "base/csv.h"

#include <algorithm>

namespace base {
namespace {

// Spreadsheets also look behind blanks, and take the wide forms of East Asian keyboards.
bool is_formula(std::string_view text) {
  if (text.starts_with('\t') || text.starts_with('\r') || text.starts_with('\n')) return true;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  for (const std::string_view start :
       {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"}) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

// Takes a quoted field from the front of "record", which begins with its quote.
std::optional<std::string> take_quoted(std::string_view& record) {
  std::string field;
  for (record.remove_prefix(1); !record.empty(); record.remove_prefix(1)) {
    if (record.front() != '"') {
      field += record.front();
    } else if (record.starts_with("\"\"")) {
      field += '"';
      record.remove_prefix(1);
    } else {
      record.remove_prefix(1);
      return field;
    }
  }
  return std::nullopt;
}

std::optional<std::string> take_field(std::string_view& record) {
  if (record.starts_with('"')) return take_quoted(record);
  const std::string_view field = record.substr(0, record.find(','));
  if (field.find('"') != std::string_view::npos) return std::nullopt;
  record.remove_prefix(field.size());
  return std::string(field);
}

}  // namespace

std::string csv_text(std::string_view text) {
  std::string field = is_formula(text) || text.starts_with('\'') ? "'" : "";
  field += text;
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::optional<std::vector<std::string>> parse_csv_record(std::string_view record) {
  std::vector<std::string> fields;
  for (;;) {
    auto field = take_field(record);
    if (!field) return std::nullopt;
    if (field->starts_with('\'')) field->erase(0, 1);
    fields.push_back(*std::move(field));
    if (record.empty()) return fields;
    if (record.front() != ',') return std::nullopt;
    record.remove_prefix(1);
  }
}

}  // namespace base
