#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace http {

// Parsers for data of HTTP clients. They never throw on any input, and take time and memory in
// proportion to it.

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

// Reads application/x-www-form-urlencoded text (a query string or a form body), in order: '+' is a
// space, a malformed %-sequence stays as it stands, a field without '=' has an empty value, empty
// pieces between '&' are passed over. (WHATWG URL, "application/x-www-form-urlencoded parsing".)
[[nodiscard]] tl::expected<std::vector<Field>, FormError> parse_form(std::string_view text);

// Replaces %XX by its byte; '+' and malformed sequences stay as they stand (RFC 3986 §2.1).
[[nodiscard]] std::string percent_decode(std::string_view text);

// The path of a request, decoded and with runs of slashes as one: nginx routes it like that.
[[nodiscard]] std::string decoded_path(std::string_view path);

// The values of all cookies called "name" in a Cookie header, in their order, percent-decoded as
// PHP does it ('+' stays '+').
[[nodiscard]] std::vector<std::string> find_cookies(std::string_view header, std::string_view name);

enum class BodyType {
  json,       // application/json, application/*+json, or no type at all
  form,       // application/x-www-form-urlencoded, or a text type
  multipart,  // multipart/form-data (http/multipart.h)
  other,      // anything else
};

// The kind of body that a Content-Type header declares (parameters are ignored).
[[nodiscard]] BodyType body_type(std::string_view content_type);

// Whether an If-None-Match header names "etag" (a strong tag with its quotes) or is "*".
// Weak comparison, RFC 9110 §13.1.2. A tag also matches with the suffix that Apache adds when it
// compresses the response ("-gzip", "-br"). REQUIRES: no tag of ours ends with such a suffix.
[[nodiscard]] bool matches_etag(std::string_view if_none_match, std::string_view etag);

}  // namespace http
