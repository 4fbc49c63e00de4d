#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// Returns "text" as a field in a CSV file (RFC 4180), quoted if necessary. If a spreadsheet might
// read the text as a formula, adds an apostrophe before the text, so that the spreadsheet shows it
// as text (OWASP, CSV Injection). If necessary, also adds an apostrophe after each semicolon, tab
// and line break, because a spreadsheet may split the field at these characters. Text that starts
// with an apostrophe gets a second apostrophe, so that parse_csv_record() can remove an apostrophe
// from every such text.
[[nodiscard]] std::string csv_text(std::string_view text);

// Returns the fields in one record. "record" has no line break at its end. Removes the apostrophes
// that csv_text() added. Returns nothing if the record is malformed.
[[nodiscard]] std::optional<std::vector<std::string>> parse_csv_record(std::string_view record,
                                                                       char separator = ',');

}  // namespace base
