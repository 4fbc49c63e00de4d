#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "http/parse.h"

namespace http {

struct MultipartError {
  enum class Kind {
    malformed,
    has_file,         // the field "name" is a file
    bad_utf8,         // a name or a value is not UTF-8
    too_many_fields,  // more than kMaxFields
  };
  Kind kind = Kind::malformed;
  std::string name = {};

  bool operator==(const MultipartError&) const = default;
};

// Reads the fields in a multipart/form-data body (RFC 7578), in order. "content_type" is the value
// of the Content-Type header, which contains the boundary. Reads text fields only, and as UTF-8
// even if a part has another Content-Type. Skips file inputs that were left empty. Stops at the
// first error.
//
// The parser is strict: lines must end with CRLF, only line breaks may occur outside the parts, and
// the final boundary is required. Never throws. Time and memory are proportional to the size of the
// body.
[[nodiscard]] tl::expected<std::vector<Field>, MultipartError> parse_multipart(
    std::string_view content_type, std::string_view body);

}  // namespace http
