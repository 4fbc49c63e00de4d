#include "http/multipart.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace http {
namespace {

using Kind = MultipartError::Kind;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMaxBoundary = 70;  // RFC 2046 §5.1.1

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Removes the part before "mark", and the mark, from the front of "text". Returns the part, or
// nothing if there is no mark.
std::optional<std::string_view> take_through(std::string_view& text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end + mark.size());
  return taken;
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Removes a quoted string from the front of "text". Returns it without the backslashes with which
// older clients escape quotes. Returns nothing if the closing quote is missing. REQUIRES: "text"
// starts with a quote.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    const bool is_escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    if (is_escape) ++i;
    value += text[i];
  }
  return std::nullopt;
}

// Removes "; name=value" from the front of a header's parameters. Returns nothing if it is
// malformed.
std::optional<Field> take_parameter(std::string_view& text) {
  if (!take_prefix(text, ";")) return std::nullopt;
  const auto name = take_through(text, "=");
  if (!name) return std::nullopt;
  std::optional<std::string> value;
  if (text.starts_with('"')) {
    value = take_quoted(text);
    skip_spaces(text);
  } else {
    const std::string_view token = text.substr(0, std::min(text.find(';'), text.size()));
    text.remove_prefix(token.size());
    value = std::string(base::trim(token));
  }
  if (!value || (!text.empty() && !text.starts_with(';'))) return std::nullopt;
  return Field{base::to_lower(base::trim(*name)), *std::move(value)};
}

// Returns the boundary in a Content-Type header, or nothing if there is none.
std::optional<std::string> boundary_of(std::string_view content_type) {
  std::string_view parameters =
      content_type.substr(std::min(content_type.find(';'), content_type.size()));
  while (!parameters.empty()) {
    auto parameter = take_parameter(parameters);
    if (!parameter) return std::nullopt;
    if (parameter->name != "boundary") continue;
    const bool is_valid = !parameter->value.empty() && parameter->value.size() <= kMaxBoundary &&
                          base::consists_of_letters_digits_and(parameter->value, "'()+_,-./:=? ");
    return is_valid ? std::optional(std::move(parameter->value)) : std::nullopt;
  }
  return std::nullopt;
}

// A part's headers.
struct Part {
  std::optional<std::string> name;
  std::optional<std::string> file_name;
};

// Reads "form-data; name=..." into "part". Returns false if "value" is anything else.
bool read_disposition(std::string_view value, Part& part) {
  const std::string_view type = value.substr(0, std::min(value.find(';'), value.size()));
  if (!base::equals_ignoring_case(base::trim(type), "form-data")) return false;
  value.remove_prefix(type.size());
  while (!value.empty()) {
    auto parameter = take_parameter(value);
    if (!parameter) return false;
    if (parameter->name == "name") part.name = std::move(parameter->value);
    // "filename*" is the form with a character set (RFC 5987), which RFC 7578 forbids.
    if (parameter->name.starts_with("filename")) part.file_name = std::move(parameter->value);
  }
  return true;
}

// Removes a part's headers and the empty line after them from the front of "rest". Returns nothing
// if the headers are malformed or the name is missing.
std::optional<Part> take_headers(std::string_view& rest) {
  Part part;
  while (true) {
    auto line = take_through(rest, kLineEnd);
    if (!line) return std::nullopt;
    if (line->empty()) return part.name ? std::optional(std::move(part)) : std::nullopt;
    const auto name = take_through(*line, ":");
    if (!name) return std::nullopt;
    const std::string_view value = base::trim(*line);
    if (base::equals_ignoring_case(*name, "Content-Disposition")) {
      if (!read_disposition(value, part)) return std::nullopt;
    } else if (base::equals_ignoring_case(*name, "Content-Transfer-Encoding")) {
      // Base64 and quoted-printable are only used in mail.
      if (!base::equals_ignoring_case(value, "binary") &&
          !base::equals_ignoring_case(value, "8bit") && !base::equals_ignoring_case(value, "7bit"))
        return std::nullopt;
    }
  }
}

tl::unexpected<MultipartError> error(Kind kind, std::string name = {}) {
  return tl::unexpected(MultipartError{kind, std::move(name)});
}

}  // namespace

tl::expected<std::vector<Field>, MultipartError> parse_multipart(std::string_view content_type,
                                                                 std::string_view body) {
  const auto boundary = boundary_of(content_type);
  if (!boundary) return error(Kind::malformed);
  const std::string delimiter = std::string(kLineEnd) + "--" + *boundary;
  while (take_prefix(body, kLineEnd)) {
  }
  if (!take_prefix(body, std::string_view(delimiter).substr(kLineEnd.size()))) {
    return error(Kind::malformed);
  }
  std::vector<Field> fields;
  while (!take_prefix(body, "--")) {
    skip_spaces(body);
    if (!take_prefix(body, kLineEnd)) return error(Kind::malformed);
    auto part = take_headers(body);
    if (!part) return error(Kind::malformed);
    const auto value = take_through(body, delimiter);
    if (!value) return error(Kind::malformed);
    if (part->file_name) {
      if (part->file_name->empty() && value->empty()) continue;
      return error(Kind::has_file, base::printable(*part->name));
    }
    if (fields.size() == kMaxFields) return error(Kind::too_many_fields);
    if (!base::is_utf8(*part->name) || !base::is_utf8(*value)) return error(Kind::bad_utf8);
    fields.push_back({*std::move(part->name), std::string(*value)});
  }
  if (body.find_first_not_of(" \t\r\n") != std::string_view::npos) return error(Kind::malformed);
  return fields;
}

}  // namespace http
