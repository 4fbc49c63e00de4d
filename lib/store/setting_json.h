#pragma once

#include <optional>

#include "json/codec.h"
#include "model/setting.h"

namespace store {

// How values of settings stand in JSON: in the table, in requests and in answers alike.

// Nothing for what can be no setting's value: null, objects, lists of anything but strings.
[[nodiscard]] std::optional<model::SettingValue> read_setting_value(const json::Value& value);

void write_setting_value(json::Writer& json, const model::SettingValue& value);

}  // namespace store
