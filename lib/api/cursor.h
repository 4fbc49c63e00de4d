#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analytics/rating_lists.h"

namespace api {

// The position in a list, as clients send it back with the next request. Needs no encoding in a
// query. Does not identify the voter.
[[nodiscard]] std::string write_cursor(const analytics::Cursor& cursor);

// Nothing for text that write_cursor() did not write.
[[nodiscard]] std::optional<analytics::Cursor> read_cursor(std::string_view text);

}  // namespace api
