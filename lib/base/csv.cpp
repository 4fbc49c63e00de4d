#include "base/csv.h"

#include <algorithm>

namespace base {
namespace {

// Spreadsheets skip leading spaces and accept the fullwidth operators on East Asian keyboards.
bool is_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  for (const std::string_view start : {"=", "+", "-", "@", "＝", "＋", "－", "＠"}) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

bool begins_with_control(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.starts_with('\t') || text.starts_with('\r') || text.starts_with('\n');
}

// Returns whether some spreadsheets split a field at the character, even inside quotes.
bool may_separate(char c) { return c == ';' || c == '\t' || c == '\r' || c == '\n'; }

// Adds an apostrophe before each part of "text" that a spreadsheet might read as a formula, and
// before each part that starts with an apostrophe.
std::string harmless(std::string_view text) {
  std::string field = begins_with_control(text) ? "'" : "";
  bool begins_part = field.empty();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_part && (text[i] == '\'' || is_formula(text.substr(i)))) field += '\'';
    field += text[i];
    begins_part = may_separate(text[i]);
  }
  return field;
}

// Reverses harmless().
std::string original(std::string_view field) {
  std::string text;
  bool begins_part = true;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (begins_part && field[i] == '\'' && ++i == field.size()) break;
    text += field[i];
    begins_part = may_separate(field[i]);
  }
  return text;
}

// Removes the quoted field at the front of "record" and returns the field's text. Returns nothing
// if the closing quote is missing. "record" must start with a quote.
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

std::optional<std::string> take_field(std::string_view& record, char separator) {
  if (record.starts_with('"')) return take_quoted(record);
  const std::string_view field = record.substr(0, record.find(separator));
  if (field.find('"') != std::string_view::npos) return std::nullopt;
  record.remove_prefix(field.size());
  return std::string(field);
}

}  // namespace

std::string csv_text(std::string_view text) {
  std::string field = harmless(text);
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::optional<std::vector<std::string>> parse_csv_record(std::string_view record, char separator) {
  std::vector<std::string> fields;
  for (;;) {
    auto field = take_field(record, separator);
    if (!field) return std::nullopt;
    fields.push_back(original(*field));
    if (record.empty()) return fields;
    if (record.front() != separator) return std::nullopt;
    record.remove_prefix(1);
  }
}

}  // namespace base
