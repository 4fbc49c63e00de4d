#include "model/setting_forms.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/address.h"
#include "base/bytes.h"
#include "base/origin.h"
#include "model/rating.h"
#include "model/template.h"

namespace model {
namespace {

using Text = std::optional<std::string>;

Text read_network(std::string_view text) {
  if (!base::Network::parse(text)) return std::nullopt;
  return base::to_lower(text);
}

// A comma would end the item in lists that are written as text.
Text read_agent(std::string_view text) {
  const auto is_bad = [](char c) { return c == ',' || c == '\x7F' || (c >= '\0' && c < ' '); };
  if (text.empty() || text.size() > 200 || std::any_of(text.begin(), text.end(), is_bad)) {
    return std::nullopt;
  }
  return std::string(text);
}

// Other parts of a URL than the origin are refused: they would seem to restrict it.
Text read_origin(std::string_view text) {
  const std::size_t host = text.find("://");
  if (host == std::string_view::npos) return std::nullopt;
  if (text.ends_with('/')) text.remove_suffix(1);
  if (text.find_first_of("/?#\\@", host + 3) != std::string_view::npos) return std::nullopt;
  return base::origin_of(text);
}

Text read_slug(std::string_view text) {
  if (!is_slug(text)) return std::nullopt;
  return std::string(text);
}

}  // namespace

const TextForm kObjectType{"1 to 64 characters of A-Z a-z 0-9 _ . : -", parse_object_type};
const TextForm kNetwork{"an address or a network such as 192.0.2.0/24", read_network};
const TextForm kAgent{"1 to 200 characters without a comma", read_agent};
const TextForm kOrigin{"an origin such as https://www.example.org", read_origin};
const TextForm kSlug{"the slug of a template such as simple/stars", read_slug};

}  // namespace model
