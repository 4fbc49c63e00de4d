#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/setting.h"

namespace model {

// All settings, in the order in which people see them. What is stored, checked, described and
// changed of them comes from this table alone.
[[nodiscard]] std::span<const Setting> all_settings();

// nullptr if there is none of this name.
[[nodiscard]] const Setting* find_setting(std::string_view name);

// The three names that look most like "name", which is none, the nearest first.
[[nodiscard]] std::vector<std::string_view> names_like(std::string_view name);

}  // namespace model
