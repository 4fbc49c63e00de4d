#include "openapi/setting_schemas.h"

#include <array>
#include <string_view>

#include "model/settings.h"
#include "store/settings_store.h"

namespace openapi {
namespace {

using model::Setting;
using model::SettingType;

std::string_view type_name(SettingType type) {
  constexpr std::array<std::string_view, 5> kNames = {"boolean", "integer", "number", "string",
                                                      "array"};
  static_assert(kNames.size() == static_cast<std::size_t>(SettingType::list) + 1);
  return kNames[static_cast<std::size_t>(type)];
}

void write_choices(json::Writer& json, const Setting& setting) {
  if (setting.choices.empty()) return;
  json.key("enum").begin_array();
  for (const model::Choice& choice : setting.choices) json.string(choice.name);
  json.end_array();
}

// Writes the schema for list items.
void write_items(json::Writer& json, const Setting& setting) {
  json.key("items").begin_object().key("type").string("string");
  write_choices(json, setting);
  if (setting.form != nullptr) json.key("description").string(setting.form->phrase);
  json.end_object();
}

}  // namespace

void write_allowed(json::Writer& json, const Setting& setting) {
  json.key("type").string(type_name(setting.type));
  switch (setting.type) {
    case SettingType::integer:
    case SettingType::number:
      json.key("minimum").integer(setting.minimum).key("maximum").integer(setting.maximum);
      break;
    case SettingType::string:
      write_choices(json, setting);
      break;
    case SettingType::list:
      json.key("minItems").integer(setting.minimum).key("maxItems").integer(setting.maximum);
      write_items(json, setting);
      break;
    case SettingType::boolean:
      break;
  }
}

std::string default_of(const Setting& setting) {
  std::string text;
  json::Writer json(text);
  store::write_setting_value(json, setting.get(model::Settings()));
  return text;
}

std::string setting_schemas() {
  std::string text;
  json::Writer json(text);
  json.begin_object();
  for (const Setting& setting : model::all_settings()) {
    json.key(setting.name).begin_object();
    write_allowed(json, setting);
    const std::string description(setting.description);
    json.key("description").string(description + " Default: `" + default_of(setting) + "`.");
    json.end_object();
  }
  json.end_object();
  return text;
}

}  // namespace openapi
