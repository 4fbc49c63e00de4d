#pragma once

#include <string_view>

namespace wordpress {

// Returns sql/grants-wordpress.sql without replacements.
[[nodiscard]] std::string_view cms_grants_text();

}  // namespace wordpress
