#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "model/setting.h"

namespace model {

// All settings, in display order. Storage, validation, description and changes of settings use this
// table only.
[[nodiscard]] std::span<const Setting> all_settings();

// The groups of settings, in display order; the settings of each are next to each other in
// all_settings().
[[nodiscard]] std::span<const SettingGroup> setting_groups();

// nullptr if the name is unknown.
[[nodiscard]] const Setting* find_setting(std::string_view name);

// Returns the sentence for a name that only earlier versions know as a setting: requests and files
// with it are accepted, and its value is ignored. Nothing for any other name. Version 0.5 deletes
// the names and their rows.
[[nodiscard]] std::optional<base::Message> retirement_of(std::string_view name);

// The three names most similar to the unknown "name", the most similar first.
[[nodiscard]] std::vector<std::string_view> names_like(std::string_view name);

}  // namespace model
