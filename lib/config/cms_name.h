#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace config {

// The supported content management systems (lib/cms/cms.h).
enum class CmsName { wordpress, none };

// The facts about a site that a CMS would otherwise provide.
struct Standalone {
  std::string address;            // http:// or https://, not ending with '/'
  std::string time_zone = "UTC";  // as base::Zone::named() accepts it
  unsigned week_start = 1;        // 0 is Sunday, 6 is Saturday
};

// Returns the value of the option "cms", such as "wordpress".
[[nodiscard]] constexpr std::string_view name_of(CmsName cms) {
  return cms == CmsName::none ? "none" : "wordpress";
}
[[nodiscard]] constexpr std::optional<CmsName> cms_named(std::string_view name) {
  for (const CmsName cms : {CmsName::wordpress, CmsName::none}) {
    if (name == name_of(cms)) return cms;
  }
  return std::nullopt;
}

}  // namespace config
