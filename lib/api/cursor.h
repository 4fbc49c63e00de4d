#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analytics/rating_lists.h"

namespace api {

// Where a list goes on, as clients carry it from one answer to the next request: characters that
// need no encoding in a query. It does not name the voter.
[[nodiscard]] std::string write_cursor(const analytics::Cursor& cursor);

// Nothing for what write_cursor() did not write.
[[nodiscard]] std::optional<analytics::Cursor> read_cursor(std::string_view text);

}  // namespace api
