#pragma once

#include <string>
#include <string_view>

namespace api {

// "text" as a field of a CSV file (RFC 4180), quoted where need be. What a spreadsheet would take
// for a formula gets an apostrophe in front, by which it is shown as text; also behind a semicolon,
// a tab or a line break, which may separate fields for it.
// (OWASP, CSV Injection.)
[[nodiscard]] std::string csv_text(std::string_view text);

}  // namespace api
