#include "api/csv.h"

#include <algorithm>

namespace api {
namespace {

// Spreadsheets also look behind blanks, and take the wide forms of East Asian keyboards.
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

// With an apostrophe before each part that some spreadsheet would take for a formula: where they
// separate fields by semicolons or tabs, the part behind one is a field, and quotes in the middle
// of a field do not hold.
std::string harmless(std::string_view text) {
  std::string field = is_formula(text) || begins_with_control(text) ? "'" : "";
  for (std::size_t i = 0; i < text.size(); ++i) {
    field += text[i];
    const bool separates = text[i] == ';' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n';
    if (separates && is_formula(text.substr(i + 1))) field += '\'';
  }
  return field;
}

}  // namespace

std::string csv_text(std::string_view text) {
  const std::string field = harmless(text);
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace api
