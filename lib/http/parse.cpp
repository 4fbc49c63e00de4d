#include "http/parse.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "http/request.h"

namespace http {
namespace {

// The method names, in the order of the enumerators in Method.
constexpr auto kMethods = std::to_array<std::string_view>(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"});
static_assert(kMethods.size() == static_cast<std::size_t>(Method::other) + 1);

enum class Plus { stays, is_space };

std::string decode(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      if (const auto byte = base::from_hex(text.substr(i + 1, 2))) {
        decoded += *byte;
        i += 2;
        continue;
      }
    }
    decoded += text[i] == '+' && plus == Plus::is_space ? ' ' : text[i];
  }
  return decoded;
}

// Returns the entity tag without the suffix added by Apache's mod_deflate or mod_brotli.
std::string_view without_coding(std::string_view tag) {
  for (const std::string_view suffix : {"-gzip", "-br"}) {
    if (tag.ends_with(suffix)) tag.remove_suffix(suffix.size());
  }
  return tag;
}

}  // namespace

tl::expected<std::vector<Field>, FormError> parse_form(std::string_view text) {
  std::vector<Field> fields;
  while (!text.empty()) {
    std::string_view value = base::take_until(text, '&');
    if (value.empty()) continue;
    if (fields.size() == kMaxFields) return tl::unexpected(FormError::too_many_fields);
    const std::string_view name = base::take_until(value, '=');
    Field field{decode(name, Plus::is_space), decode(value, Plus::is_space)};
    if (!base::is_utf8(field.name) || !base::is_utf8(field.value)) {
      return tl::unexpected(FormError::bad_utf8);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string percent_decode(std::string_view text) { return decode(text, Plus::stays); }

std::string decoded_path(std::string_view path) {
  std::string decoded = percent_decode(path);
  const auto both_slashes = [](char a, char b) { return a == '/' && b == '/'; };
  decoded.erase(std::unique(decoded.begin(), decoded.end(), both_slashes), decoded.end());
  return decoded;
}

std::vector<std::string> find_cookies(std::string_view header, std::string_view name) {
  std::vector<std::string> values;
  while (!header.empty()) {
    std::string_view value = base::trim(base::take_until(header, ';'));
    if (!value.empty() && base::take_until(value, '=') == name)
      values.push_back(percent_decode(value));
  }
  return values;
}

std::string_view name_of(Method method) { return kMethods[static_cast<std::size_t>(method)]; }

Method method_named(std::string_view name) {
  const auto* const found = std::ranges::find(kMethods, name);
  return found == kMethods.end() ? Method::other : static_cast<Method>(found - kMethods.begin());
}

BodyType body_type(std::string_view content_type) {
  const std::string type = base::to_lower(base::trim(base::take_until(content_type, ';')));
  if (type.empty() || type == "application/json") return BodyType::json;
  if (type.starts_with("application/") && type.ends_with("+json")) return BodyType::json;
  if (type == "application/x-www-form-urlencoded") return BodyType::form;
  if (type == "multipart/form-data") return BodyType::multipart;
  return type.starts_with("text/") ? BodyType::form : BodyType::other;
}

bool matches_etag(std::string_view if_none_match, std::string_view etag) {
  std::string_view rest = base::trim(if_none_match);
  if (rest == "*") return true;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t,"), rest.size()));
    if (rest.starts_with("W/")) rest.remove_prefix(2);
    if (!rest.starts_with('"')) return false;
    const std::size_t close = rest.find('"', 1);
    if (close == std::string_view::npos) return false;
    if (without_coding(rest.substr(1, close - 1)) == etag.substr(1, etag.size() - 2)) return true;
    rest.remove_prefix(close + 1);
  }
}

// --- Multipart bodies ----------------------------------------------------------------------------

namespace {

using Kind = MultipartError::Kind;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMaxBoundary = 70;  // RFC 2046 §5.1.1

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Removes the text before "mark", and "mark" itself, from the front of "text". Returns the removed
// text without "mark", or nothing if "text" does not contain "mark".
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

// Removes a quoted string from the front of "text". Returns the string without the backslashes that
// older clients use to escape quotes. Returns nothing if the closing quote is missing. "text" must
// begin with a quote.
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

// Removes "; name=value" from the front of a header's parameters. Returns nothing if the parameter
// is malformed.
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

// Returns the boundary in a Content-Type header, or nothing if the header has no boundary.
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

// Parses the value of a Content-Disposition header, such as "form-data; name=...", and stores its
// parameters in "part". Returns false if "value" is malformed or its type is not "form-data".
bool read_disposition(std::string_view value, Part& part) {
  const std::string_view type = value.substr(0, std::min(value.find(';'), value.size()));
  if (!base::equals_ignoring_case(base::trim(type), "form-data")) return false;
  value.remove_prefix(type.size());
  while (!value.empty()) {
    auto parameter = take_parameter(value);
    if (!parameter) return false;
    if (parameter->name == "name") part.name = std::move(parameter->value);
    // Also accepts the "filename*" parameter (RFC 5987), although RFC 7578 forbids it.
    if (parameter->name.starts_with("filename")) part.file_name = std::move(parameter->value);
  }
  return true;
}

// Removes a part's headers and the following empty line from the front of "rest". Returns nothing
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
      // The Base64 and quoted-printable encodings are used only in mail.
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
  if (!boundary) return error(Kind::no_boundary);
  const std::string delimiter = std::string(kLineEnd) + "--" + *boundary;
  while (take_prefix(body, kLineEnd)) {
  }
  const auto first = std::string_view(delimiter).substr(kLineEnd.size());
  if (!take_prefix(body, first)) {
    return error(first.starts_with(body) ? Kind::malformed : Kind::no_boundary);
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
