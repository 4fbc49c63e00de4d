#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace config {

// The adapters (lib/cms/cms.h).
enum class CmsName { wordpress, none };

// What a CMS would know of the site, where there is none.
struct Standalone {
  std::string address;            // http:// or https://, not ending with '/'
  std::string time_zone = "UTC";  // as base::Zone::named()
  unsigned week_start = 1;        // 0 is Sunday ... 6
};

// "wordpress": as the option "cms" has it.
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
