#include "store/setting_json.h"

#include <string>
#include <variant>
#include <vector>

namespace store {
namespace {

std::optional<model::SettingValue> read_list(const json::Value::Array& array) {
  std::vector<std::string> items;
  for (const json::Value& element : array) {
    const auto* text = std::get_if<std::string>(&element.data);
    if (text == nullptr) return std::nullopt;
    items.push_back(*text);
  }
  return items;
}

}  // namespace

std::optional<model::SettingValue> read_setting_value(const json::Value& value) {
  if (const auto* truth = std::get_if<bool>(&value.data)) return *truth;
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  if (const auto* array = std::get_if<json::Value::Array>(&value.data)) return read_list(*array);
  if (const auto* number = std::get_if<json::Value::Number>(&value.data)) {
    return model::parse_decimal(number->text);
  }
  return std::nullopt;
}

void write_setting_value(json::Writer& json, const model::SettingValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) {
    json.boolean(*truth);
  } else if (const auto* number = std::get_if<model::Decimal>(&value)) {
    json.raw(model::to_text(*number));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    json.string(*text);
  } else {
    json.begin_array();
    for (const std::string& item : std::get<std::vector<std::string>>(value)) json.string(item);
    json.end_array();
  }
}

}  // namespace store
