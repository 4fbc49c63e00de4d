#pragma once

#include <string_view>

namespace wordpress {

// sql/grants-wordpress.sql as it is.
[[nodiscard]] std::string_view cms_grants_text();

}  // namespace wordpress
