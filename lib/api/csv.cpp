#include "api/csv.h"

#include <algorithm>

namespace api {
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

}  // namespace

std::string csv_text(std::string_view text) {
  std::string field = is_formula(text) ? "'" : "";
  field += text;
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace api
