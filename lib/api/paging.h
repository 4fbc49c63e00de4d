#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analytics/rating_lists.h"
#include "api/call.h"
#include "api/fields.h"

namespace api {

// One page of a list, as WordPress's collections have them.
struct Page {
  std::int64_t number = 1;
  std::int64_t size = 20;

  [[nodiscard]] std::int64_t offset() const { return (number - 1) * size; }
  // The first page of an empty list is valid.
  [[nodiscard]] bool is_past_end(std::int64_t total) const {
    return number > 1 && offset() >= total;
  }
};

// The parameters page and per_page (alias limit).
[[nodiscard]] Page read_page(Fields& fields);

// X-WP-Total, X-WP-TotalPages, and Link to the pages before and after, if there are any.
[[nodiscard]] std::vector<http::Header> page_headers(const Call& call, const Page& page,
                                                     std::int64_t total);

void add_page_headers(Answer& answer, const Call& call, const Page& page, std::int64_t total);

// A Link header to the rest of a list, with "value" for the parameter "name".
void add_next_link(Answer& answer, const Call& call, std::string_view name,
                   const std::string& value);

// The position in a list, as clients send it back with the next request. Needs no encoding in a
// query. Does not identify the voter.
[[nodiscard]] std::string write_cursor(const analytics::Cursor& cursor);

// Nothing for text that write_cursor() did not write.
[[nodiscard]] std::optional<analytics::Cursor> read_cursor(std::string_view text);

}  // namespace api
