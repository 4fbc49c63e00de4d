#pragma once

#include <optional>

#include "json/codec.h"
#include "model/setting.h"

namespace store {

// The JSON form of setting values, in the table, in requests and in answers.

// Nothing for JSON that cannot be a setting's value: null, objects, lists of anything but strings.
[[nodiscard]] std::optional<model::SettingValue> read_setting_value(const json::Value& value);

void write_setting_value(json::Writer& json, const model::SettingValue& value);

}  // namespace store
