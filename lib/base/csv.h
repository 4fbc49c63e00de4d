#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// Returns "text" as a field in a CSV file (RFC 4180), quoted if necessary. If a spreadsheet might
// read the text as a formula, adds an apostrophe before the text, so that the spreadsheet does not
// execute it (OWASP, CSV Injection). Also checks the text after each semicolon, tab or line break
// for formulas, because a spreadsheet may split a field after these characters. If the text already
// starts with an apostrophe, adds a second apostrophe, because parse_csv_record() removes one
// apostrophe from every text that starts with an apostrophe.
[[nodiscard]] std::string csv_text(std::string_view text);

// Returns the fields in one record. "record" has no line break at its end. Removes the apostrophes
// that csv_text() added. Returns nothing if the record is malformed.
[[nodiscard]] std::optional<std::vector<std::string>> parse_csv_record(std::string_view record,
                                                                       char separator = ',');

}  // namespace base
