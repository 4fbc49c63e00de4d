#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// "text" as a field of a CSV file (RFC 4180), quoted where need be. What a spreadsheet would take
// for a formula gets an apostrophe in front, by which it is shown as text; also behind a semicolon,
// a tab or a line break, which may separate fields for it. What begins with an apostrophe gets
// another one: so they can be taken away again. (OWASP, CSV Injection.)
[[nodiscard]] std::string csv_text(std::string_view text);

// The fields of one record without its line break, each as it was before csv_text(). Nothing if
// quotes stand where none may be.
[[nodiscard]] std::optional<std::vector<std::string>> parse_csv_record(std::string_view record);

}  // namespace base
