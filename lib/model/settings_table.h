#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "model/settings.h"

namespace model {

// Returns all settings, in display order. This table is the only source for the storage,
// validation, description and changes of settings.
[[nodiscard]] std::span<const Setting> all_settings();

// Returns the groups of settings, in display order. The settings in a group are next to each other
// in all_settings().
[[nodiscard]] std::span<const SettingGroup> setting_groups();

// Returns nullptr if the name is unknown.
[[nodiscard]] const Setting* find_setting(std::string_view name);

// Returns the warning for a setting that only earlier versions know. Requests and files can still
// contain the setting, but its value is ignored. Returns nothing for any other name. Version 0.5
// deletes the names and their rows.
[[nodiscard]] std::optional<base::Message> retirement_of(std::string_view name);

// Returns the three setting names that are most similar to the unknown "name", the most similar
// first.
[[nodiscard]] std::vector<std::string_view> names_like(std::string_view name);

}  // namespace model
