#include "base/origin.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace base {
namespace {

bool is_host(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

// Returns whether "host" looks like an IPv6 address in brackets. Checks only which characters
// "host" contains, and not whether the address is valid.
bool is_ipv6_host(std::string_view host) {
  return host.size() > 2 && host.front() == '[' &&
         host.find_first_not_of("0123456789abcdef:.", 1) == host.size() - 1 && host.back() == ']';
}

// Returns the port as it appears in an origin, such as ":8443". Returns "" if there is no port, or
// if the port is the scheme's default port. Returns nothing if "text" is malformed.
std::optional<std::string> port_suffix(std::string_view text, std::uint16_t default_port) {
  if (text.empty() || text == ":") return "";
  const auto port = parse_number<std::uint16_t>(text.substr(1));
  if (text.front() != ':' || !port) return std::nullopt;
  return *port == default_port ? "" : ":" + std::to_string(*port);
}

}  // namespace

std::optional<std::string> origin_of(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  const std::string scheme = to_lower(url.substr(0, scheme_end));
  if (scheme != "http" && scheme != "https") return std::nullopt;

  url.remove_prefix(scheme_end + 3);
  // In browsers, a backslash also ends the authority (WHATWG URL, "authority state").
  std::string authority = to_lower(url.substr(0, url.find_first_of("/?#\\")));
  authority.erase(0, authority.rfind('@') + 1);  // removes user and password; npos + 1 is 0
  const std::size_t bracket = authority.rfind(']');
  const std::size_t host_end =
      bracket == std::string::npos ? std::min(authority.find(':'), authority.size()) : bracket + 1;
  const std::string host = authority.substr(0, host_end);
  const auto port =
      port_suffix(std::string_view(authority).substr(host_end), scheme == "http" ? 80 : 443);
  if (!port || !(is_host(host) || is_ipv6_host(host))) return std::nullopt;
  return scheme + "://" + host + *port;
}

std::string_view host_of(std::string_view origin) {
  const std::size_t scheme_end = origin.find("://");
  if (scheme_end != std::string_view::npos) origin.remove_prefix(scheme_end + 3);
  const std::size_t bracket = origin.rfind(']');
  return origin.substr(0, bracket == std::string_view::npos ? origin.find(':') : bracket + 1);
}

std::optional<std::string> path_of(std::string_view url) {
  if (!origin_of(url)) return std::nullopt;
  url.remove_prefix(url.find("://") + 3);
  url.remove_prefix(std::min(url.find_first_of("/?#\\"), url.size()));
  std::string path(url.substr(0, url.find_first_of("?#")));
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace base
