#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace http {

// Parsers for data that HTTP clients send. The parsers never throw. The parsers' time and memory
// are proportional to the input's size.

struct Field {
  std::string name;
  std::string value;

  bool operator==(const Field&) const = default;
};

enum class FormError {
  bad_utf8,         // a name or a value is not UTF-8 after decoding
  too_many_fields,  // more than kMaxFields
};

inline constexpr std::size_t kMaxFields = 1000;

// Reads the fields in application/x-www-form-urlencoded text (a query string or a form body), in
// order. A '+' becomes a space. Malformed percent-encoding is left unchanged. A field without '='
// has an empty value. Empty pieces between '&' are skipped. See the WHATWG URL Standard,
// "application/x-www-form-urlencoded parsing".
[[nodiscard]] tl::expected<std::vector<Field>, FormError> parse_form(std::string_view text);

// Replaces each %XX with the byte that it represents (RFC 3986 §2.1). Does not change '+' or
// malformed percent-encoding.
[[nodiscard]] std::string percent_decode(std::string_view text);

// Decodes a request's path and replaces each run of slashes with one slash, as nginx does before it
// chooses a location. Unlike nginx, this function does not resolve "." and "..".
[[nodiscard]] std::string decoded_path(std::string_view path);

// Returns the values of all cookies called "name" in a Cookie header, in order. Decodes the values
// in the same way as PHP, which does not change '+'.
[[nodiscard]] std::vector<std::string> find_cookies(std::string_view header, std::string_view name);

enum class BodyType {
  json,       // application/json, application/*+json, or no type at all
  form,       // application/x-www-form-urlencoded, or a text type
  multipart,  // multipart/form-data (parse_multipart())
  other,      // any other type
};

// Returns the body's type according to the Content-Type header. Ignores the header's parameters.
[[nodiscard]] BodyType body_type(std::string_view content_type);

// Returns whether an If-None-Match header is "*" or contains "etag", which is a strong entity tag
// with its quotes. Uses the weak comparison from RFC 9110 §13.1.2. Ignores the suffix ("-gzip" or
// "-br") that Apache adds to the tag of a compressed response. "etag" must be a tag to which Apache
// has not added a suffix.
[[nodiscard]] bool matches_etag(std::string_view if_none_match, std::string_view etag);

struct MultipartError {
  enum class Kind {
    malformed,
    no_boundary,      // the header has no boundary, or the body does not begin with this boundary
    has_file,         // the field "name" is a file
    bad_utf8,         // a name or a value is not UTF-8
    too_many_fields,  // more than kMaxFields
  };
  Kind kind = Kind::malformed;
  std::string name = {};

  bool operator==(const MultipartError&) const = default;
};

// Reads the fields in a multipart/form-data body (RFC 7578), in order. "content_type" is the value
// of the Content-Type header, which contains the boundary. Reads only text fields. Text fields are
// read as UTF-8, even if a part has another Content-Type. Skips empty file inputs. Stops at the
// first error.
//
// The parser is strict: lines must end with CRLF, only line breaks may appear outside the parts,
// and the final boundary is required. Never throws. Time and memory are proportional to the body's
// size.
[[nodiscard]] tl::expected<std::vector<Field>, MultipartError> parse_multipart(
    std::string_view content_type, std::string_view body);

}  // namespace http
