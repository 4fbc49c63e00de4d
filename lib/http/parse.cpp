#include "http/parse.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/bytes.h"

namespace http {
namespace {

// Takes the text before the next "separator" from the front of "rest", and the separator with it.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return piece;
}

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

bool is_host(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

// An IPv6 address in brackets; only its alphabet is checked.
bool is_ipv6_host(std::string_view host) {
  return host.size() > 2 && host.front() == '[' &&
         host.find_first_not_of("0123456789abcdef:.", 1) == host.size() - 1 && host.back() == ']';
}

// ":8443" as it stands in an origin: empty if it is the scheme's own port or none is given.
std::optional<std::string> port_suffix(std::string_view text, std::uint16_t default_port) {
  if (text.empty() || text == ":") return "";
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + 1, end, port);
  if (text.front() != ':' || error != std::errc{} || stopped != end) return std::nullopt;
  return port == default_port ? "" : ":" + std::to_string(port);
}

}  // namespace

tl::expected<std::vector<Field>, FormError> parse_form(std::string_view text) {
  std::vector<Field> fields;
  while (!text.empty()) {
    std::string_view value = take_until(text, '&');
    if (value.empty()) continue;
    if (fields.size() == kMaxFields) return tl::unexpected(FormError::too_many_fields);
    const std::string_view name = take_until(value, '=');
    Field field{decode(name, Plus::is_space), decode(value, Plus::is_space)};
    if (!base::is_utf8(field.name) || !base::is_utf8(field.value)) {
      return tl::unexpected(FormError::bad_utf8);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string percent_decode(std::string_view text) { return decode(text, Plus::stays); }

std::vector<std::string> find_cookies(std::string_view header, std::string_view name) {
  std::vector<std::string> values;
  while (!header.empty()) {
    std::string_view value = base::trim(take_until(header, ';'));
    if (!value.empty() && take_until(value, '=') == name) values.push_back(percent_decode(value));
  }
  return values;
}

BodyType body_type(std::string_view content_type) {
  const std::string type = base::to_lower(base::trim(take_until(content_type, ';')));
  if (type.empty() || type == "application/json") return BodyType::json;
  if (type.starts_with("application/") && type.ends_with("+json")) return BodyType::json;
  if (type == "application/x-www-form-urlencoded") return BodyType::form;
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
    if (rest.substr(0, close + 1) == etag) return true;
    rest.remove_prefix(close + 1);
  }
}

std::optional<std::string> origin_of(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  const std::string scheme = base::to_lower(url.substr(0, scheme_end));
  if (scheme != "http" && scheme != "https") return std::nullopt;

  url.remove_prefix(scheme_end + 3);
  // Browsers end the authority at a backslash too (WHATWG URL, "authority state").
  std::string authority = base::to_lower(url.substr(0, url.find_first_of("/?#\\")));
  authority.erase(0, authority.rfind('@') + 1);  // a user and password; npos + 1 is 0
  const std::size_t bracket = authority.rfind(']');
  const std::size_t host_end =
      bracket == std::string::npos ? std::min(authority.find(':'), authority.size()) : bracket + 1;
  const std::string host = authority.substr(0, host_end);
  const auto port =
      port_suffix(std::string_view(authority).substr(host_end), scheme == "http" ? 80 : 443);
  if (!port || !(is_host(host) || is_ipv6_host(host))) return std::nullopt;
  return scheme + "://" + host + *port;
}

}  // namespace http
