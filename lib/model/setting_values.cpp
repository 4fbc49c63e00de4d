#include "model/setting_values.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/address.h"
#include "base/origin.h"
#include "base/text.h"
#include "model/facets.h"
#include "model/rating.h"
#include "model/template.h"

namespace model {
namespace {

using Text = std::optional<std::string>;

Text read_network(std::string_view text) {
  if (!base::Network::parse(text)) return std::nullopt;
  return base::to_lower(text);
}

// Rejects commas, because commas separate the items if the list is written as a string.
Text read_agent(std::string_view text) {
  const auto is_bad = [](char c) { return c == ',' || c == '\x7F' || (c >= '\0' && c < ' '); };
  if (text.empty() || text.size() > 200 || std::any_of(text.begin(), text.end(), is_bad)) {
    return std::nullopt;
  }
  return std::string(text);
}

// Rejects URLs with a path or a query, because the setting always allows all paths. Mobile apps use
// their own URL schemes, which have no default port. In URLs with such schemes, the host may be
// empty and is not converted to lower case (WHATWG URL, "opaque host").
Text read_origin(std::string_view text) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string scheme = base::to_lower(text.substr(0, end));
  std::string_view host = text.substr(end + 3);
  if (host.ends_with('/')) host.remove_suffix(1);
  if (host.find_first_of("/?#\\@") != std::string_view::npos) return std::nullopt;
  std::string origin = scheme + "://" + std::string(host);
  if (scheme == "http" || scheme == "https") return base::origin_of(origin);
  const bool is_scheme =
      scheme >= "a" && scheme < "{" && base::consists_of_letters_digits_and(scheme, "+.-");
  if (!is_scheme || !base::consists_of_letters_digits_and(host, "._-~:[]")) return std::nullopt;
  return origin;
}

// Parses the name of an HTTP header (a token in RFC 9110 §5.6.2) and returns the name in lower
// case. Rejects "*", because "*" would also allow headers that later versions of ratingd use.
// Rejects "Cookie", "Host" and "Origin", because scripts cannot set these headers. Rejects headers
// that ratingd always allows.
Text read_header_name(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  std::string name = base::to_lower(text);
  const bool is_token = !name.empty() && name.size() <= kLongest &&
                        base::consists_of_letters_digits_and(name, "!#$%&'*+-.^_`|~");
  const std::string own = base::to_lower(kOwnRequestHeaders) + ',';
  const bool is_other = name != "*" && name != "cookie" && name != "host" && name != "origin" &&
                        !name.starts_with("x-ratingd-") &&
                        own.find(name + ',') == std::string::npos;
  if (!is_token || !is_other) return std::nullopt;
  return name;
}

Text read_slug(std::string_view text) {
  if (!is_slug(text)) return std::nullopt;
  return std::string(text);
}

}  // namespace

const TextForm kObjectType{
    "a name of 1 to 64 characters that contains only letters (A-Z, a-z), digits, underscores, "
    "dots, colons and hyphens",
    parse_object_type};
const TextForm kFacetName{
    "a name of 1 to 32 characters that contains only letters (A-Z, a-z), digits, underscores and "
    "hyphens",
    parse_facet_name};
const TextForm kNetwork{"an IP address or a network such as 192.0.2.0/24", read_network};
const TextForm kAgent{"text of 1 to 200 characters that contains no commas", read_agent};
const TextForm kOrigin{
    "the address of a site or an app such as https://www.example.org or capacitor://localhost",
    read_origin};
const TextForm kHeaderName{"the name of a request header such as traceparent", read_header_name};
const TextForm kSlug{"the slug of a template such as simple/stars", read_slug};

}  // namespace model
