#include "http/parse.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "http/request.h"

namespace http {
namespace {

// In the order of Method.
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

// Returns the tag without the suffix that Apache's mod_deflate or mod_brotli adds.
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

}  // namespace http
