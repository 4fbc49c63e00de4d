#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// "text" as a field of a CSV file (RFC 4180), quoted if necessary. Text that a spreadsheet would
// read as a formula is prefixed with an apostrophe, so that it is shown as text; also after a
// semicolon, a tab or a line break, which may separate fields for a spreadsheet. Text that starts
// with an apostrophe gets another one, so that the prefix can be removed again. (OWASP, CSV
// Injection.)
[[nodiscard]] std::string csv_text(std::string_view text);

// Returns the fields of one record without its line break. The prefixes of csv_text() are removed.
// Returns nothing if the record is malformed.
[[nodiscard]] std::optional<std::vector<std::string>> parse_csv_record(std::string_view record,
                                                                       char separator = ',');

}  // namespace base
