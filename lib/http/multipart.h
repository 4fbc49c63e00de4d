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

// Reads a body of the type multipart/form-data (RFC 7578), in order. "content_type" is the value of
// the header Content-Type, which has the boundary. Only text fields are read, as UTF-8 whatever
// their own Content-Type says. A file input that was left empty is passed over. The first error
// ends the reading.
//
// Strict: lines end with CRLF, nothing but line breaks is outside of the parts, and the end must be
// there. Never throws. Takes time and memory in proportion to the body.
[[nodiscard]] tl::expected<std::vector<Field>, MultipartError> parse_multipart(
    std::string_view content_type, std::string_view body);

}  // namespace http
