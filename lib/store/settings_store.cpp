#include "store/settings_store.h"

#include <cassert>

#include "db/transaction.h"
#include "json/codec.h"
#include "model/settings_table.h"
#include "store/setting_json.h"

namespace store {
namespace {

// Applies "row". Returns the reason if it is invalid.
std::string apply(const SettingRow& row, model::Settings& settings) {
  const model::Setting* setting = model::find_setting(row.name);
  if (setting == nullptr) return "this version knows no such setting.";
  const auto parsed = json::parse(row.value);
  if (!parsed) {
    return "it is no JSON: " + parsed.error().message + " at byte " +
           std::to_string(parsed.error().offset) + ".";
  }
  const auto value = model::accept(*setting, read_setting_value(*parsed));
  if (!value) return value.error().message;
  setting->set(settings, *value);
  return {};
}

std::string json_of(const model::SettingValue& value) {
  std::string text;
  json::Writer json(text);
  write_setting_value(json, value);
  return text;
}

std::string missing_template(const model::Setting& setting, const model::Settings& settings) {
  const std::string name(setting.name);
  const std::string shown = model::to_text(setting.get(model::Settings()));
  return "There is no template " + model::to_text(setting.get(settings)) + " for " +
         std::string(name_of(*setting.template_category)) + " ratings, which the setting " + name +
         " names; widgets have " + shown + " instead. To choose another: ratingctl settings set " +
         name + "=" + shown;
}

}  // namespace

StoredSettings interpret(const std::vector<SettingRow>& rows) {
  StoredSettings stored;
  for (const SettingRow& row : rows) {
    const std::string why = apply(row, stored.settings);
    if (why.empty()) continue;
    stored.problems.push_back("What is stored of the setting " + row.name + " does not count: " +
                              why + " To remove it: ratingctl settings reset " + row.name);
    if (model::find_setting(row.name) != nullptr) stored.damaged.insert(row.name);
  }
  return stored;
}

SettingsStore::SettingsStore(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      read_("SELECT name, value FROM " + table_prefix + "ratingd_settings ORDER BY name"),
      save_("INSERT INTO " + table_prefix +
            "ratingd_settings (name, value) VALUES (?, ?) ON DUPLICATE KEY UPDATE value = ?"),
      delete_("DELETE FROM " + table_prefix + "ratingd_settings WHERE name = ?") {}

std::vector<SettingRow> SettingsStore::rows(db::Connection& connection) const {
  std::vector<SettingRow> rows;
  db::Rows row = connection.prepare(read_).query();
  while (row.next()) rows.push_back({row.text(1), row.text(2)});
  return rows;
}

StoredSettings SettingsStore::load(db::Connection& connection) const {
  StoredSettings stored = interpret(rows(connection));
  const TemplateChoices names = templates(connection);
  for (const model::Setting& setting : model::all_settings()) {
    if (!setting.template_category) continue;
    const auto value = model::accept(names.of(setting), setting.get(stored.settings));
    if (!value) stored.problems.push_back(missing_template(setting, stored.settings));
  }
  return stored;
}

tl::expected<StoredSettings, RefusedChange> SettingsStore::change(
    db::Connection& connection, const SettingChanges& changes) const {
  const StoredSettings before = interpret(rows(connection));
  const TemplateChoices names = templates(connection);
  db::Transaction transaction(connection);
  for (const auto& [name, value] : changes) {  // in key order, to avoid deadlocks
    const model::Setting* setting = model::find_setting(name);
    assert(setting != nullptr);
    if (setting->get(before.settings) == value && !before.damaged.contains(name)) continue;
    if (const auto accepted = model::accept(names.of(*setting), value); !accepted) {
      return tl::unexpected(RefusedChange{name, accepted.error()});
    }
    const std::string text = json_of(value);
    connection.prepare(save_).bind(name).bind(text).bind(text).execute();
  }
  transaction.commit();
  return load(connection);
}

bool SettingsStore::reset(db::Connection& connection, const std::string& name) const {
  return connection.prepare(delete_).bind(name).execute() > 0;
}

}  // namespace store
