#include "store/settings_store.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/message.h"
#include "db/transaction.h"
#include "json/codec.h"
#include "model/settings.h"

namespace store {
namespace {

using base::Message;

// Parses the JSON value "text" and stores it as the value of "setting" in "settings". If the value
// is not allowed, returns a message with the reason. The message contains the setting's title,
// because site owners do not see the setting's name.
std::optional<Message> apply(const model::Setting& setting, const std::string& text,
                             model::Settings& settings) {
  const Message title(std::string(setting.title));
  const auto parsed = json::parse(text);
  if (!parsed)
    return Message("The stored value of the \"{title}\" setting is damaged.", {{"title", title}});
  auto value = model::accept(setting, read_setting_value(*parsed));
  if (value) {
    setting.set(settings, *value);
    return std::nullopt;
  }
  Message why = std::move(value.error().message);
  std::ranges::find(why.values, "name", &base::MessageValue::name)->value = title;
  return why;
}

std::string json_of(const model::SettingValue& value) {
  std::string text;
  json::Writer json(text);
  write_setting_value(json, value);
  return text;
}

void write_row(db::Connection& connection, const std::string& name,
               const model::SettingValue& value) {
  const std::string text = json_of(value);
  connection.execute(
      "INSERT INTO {prefix}ratingd_settings (name, value) VALUES (?, ?)"
      " ON DUPLICATE KEY UPDATE value = VALUES(value)",
      name, text);
}

model::Refusal is_fixed(const std::string& name) {
  return {model::Refusal::Reason::fixed,
          Message("{name} is enforced for all sites in the network.", {{"name", name}})};
}

Message missing_template(const model::Setting& setting, const model::Settings& settings) {
  return Message(
      "The {template} template in the \"{title}\" setting does not exist, so widgets use "
      "{shown} instead. To choose another template, run: ratingctl settings set {name}={shown}",
      {{"template", model::to_text(setting.get(settings))},
       {"title", Message(std::string(setting.title))},
       {"shown", model::to_text(setting.get(model::Settings()))},
       {"name", std::string(setting.name)}});
}

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

StoredSettings interpret(const std::vector<SettingRow>& rows) {
  StoredSettings stored;
  for (const SettingRow& row : rows) {
    if (row.is_fixed) stored.fixed.insert(row.name);
  }
  for (const SettingRow& row : rows) {
    if (!row.is_fixed && stored.fixed.contains(row.name)) continue;
    // Ignore the row of a retired setting. The row is not deleted, because version 0.3 needs the
    // row if the program is downgraded.
    if (model::retirement_of(row.name)) continue;
    const model::Setting* setting = model::find_setting(row.name);
    const auto why = setting == nullptr ? Message("This version has no such setting.")
                                        : apply(*setting, row.value, stored.settings);
    if (!why) continue;
    stored.problems.push_back(
        {row.name, Message("A stored setting has no effect. {reason} To remove the setting, run: "
                           "ratingctl settings reset {name}",
                           {{"reason", *why},
                            {"name", row.is_fixed ? "--all-sites " + row.name : row.name}})});
    if (setting != nullptr) stored.damaged.insert(row.name);
  }
  return stored;
}

std::vector<SettingRow> setting_rows(db::Connection& connection) {
  std::string text =
      "SELECT name, value, 0 AS is_fixed FROM {prefix}ratingd_settings"
      " WHERE name NOT LIKE 'network.%'";
  if (const std::string& first = connection.endpoint().network_prefix; !first.empty()) {
    text += " UNION ALL SELECT SUBSTRING(name, 9), value, 1 FROM " + first +
            "ratingd_settings WHERE name LIKE 'network.%'";
  }
  return connection.prepare(text + " ORDER BY is_fixed, name").query().all([](const db::Rows& row) {
    return SettingRow{row.text(1), row.text(2), row.integer(3) != 0};
  });
}

StoredSettings load_settings(db::Connection& connection, const TemplateChoices& names) {
  StoredSettings stored = interpret(setting_rows(connection));
  for (const model::Setting& setting : model::all_settings()) {
    if (!setting.template_category) continue;
    const auto value = model::accept(names.of(setting), setting.get(stored.settings));
    if (value) continue;
    stored.problems.push_back(
        {std::string(setting.name), missing_template(setting, stored.settings)});
  }
  return stored;
}

tl::expected<SettingChanges, RefusedChange> effective_changes(db::Connection& connection,
                                                              const SettingChanges& changes,
                                                              const TemplateChoices& names) {
  const StoredSettings before = interpret(setting_rows(connection));
  SettingChanges effective;
  for (const auto& [name, value] : changes) {
    const model::Setting* setting = model::find_setting(name);
    assert(setting != nullptr);
    const bool is_fixed_here = before.fixed.contains(name);
    const bool is_repair = before.damaged.contains(name) && !is_fixed_here;
    if (setting->get(before.settings) == value && !is_repair) continue;
    if (is_fixed_here) return tl::unexpected(RefusedChange{name, is_fixed(name)});
    if (const auto accepted = model::accept(names.of(*setting), value); !accepted) {
      return tl::unexpected(RefusedChange{name, accepted.error()});
    }
    effective.emplace(name, value);
  }
  return effective;
}

tl::expected<StoredSettings, RefusedChange> change_settings(db::Connection& connection,
                                                            const SettingChanges& changes,
                                                            const TemplateChoices& names) {
  const auto effective = effective_changes(connection, changes, names);
  if (!effective) return tl::unexpected(effective.error());
  db::Transaction transaction(connection);
  for (const auto& [name, value] : *effective) {  // in key order, to avoid deadlocks
    write_row(connection, name, value);
  }
  transaction.commit();
  return load_settings(connection, names);
}

tl::expected<StoredSettings, RefusedChange> fix_settings(db::Connection& connection,
                                                         const RequestedChanges& changes) {
  const TemplateChoices built_in;
  db::Transaction transaction(connection);
  for (const auto& [name, value] : changes) {  // in key order, to avoid deadlocks
    const std::string row = std::string(kFixed) + name;
    if (!value) {
      reset_setting(connection, row);
      continue;
    }
    const model::Setting* setting = model::find_setting(name);
    assert(setting != nullptr);
    if (const auto accepted = model::accept(built_in.of(*setting), *value); !accepted) {
      return tl::unexpected(RefusedChange{name, accepted.error()});
    }
    write_row(connection, row, *value);
  }
  transaction.commit();
  return load_fixed_settings(connection);
}

StoredSettings load_fixed_settings(db::Connection& connection) {
  std::vector<SettingRow> rows = setting_rows(connection);
  std::erase_if(rows, [](const SettingRow& row) { return !row.is_fixed; });
  return interpret(rows);
}

bool reset_setting(db::Connection& connection, const std::string& name) {
  return connection.execute("DELETE FROM {prefix}ratingd_settings WHERE name = ?", name) > 0;
}

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

// --- Requests to change settings -----------------------------------------------------------------

namespace {

using model::Refusal;

std::string_view code_of(Refusal::Reason reason) {
  constexpr std::array<std::string_view, 5> kCodes = {"rest_invalid_type", "rest_out_of_bounds",
                                                      "rest_not_in_enum", "rest_invalid_pattern",
                                                      "ratingd_fixed"};
  static_assert(kCodes.size() == static_cast<std::size_t>(Refusal::Reason::fixed) + 1);
  return kCodes[static_cast<std::size_t>(reason)];
}

// Returns the value for "setting" in a request. If the value of an integer setting is a JSON
// number, returns its original text, so that model::accept() can reject a number with an exponent.
std::optional<model::SettingValue> read_given(const model::Setting& setting,
                                              const json::Value& given) {
  const auto* number = std::get_if<json::Value::Number>(&given.data);
  if (number != nullptr && setting.type == model::SettingType::integer) return number->text;
  return read_setting_value(given);
}

}  // namespace

json::FieldError unknown_setting(std::string_view name) {
  const auto like = model::names_like(name);
  return {std::string(name), "rest_additional_properties_forbidden",
          base::Message("There is no {name} setting. The most similar setting names are "
                        "{first}, {second} and {third}.",
                        {{"name", std::string(name)},
                         {"first", std::string(like[0])},
                         {"second", std::string(like[1])},
                         {"third", std::string(like[2])}})};
}

json::FieldError error_of(std::string_view name, const Refusal& refusal) {
  return {std::string(name), code_of(refusal.reason), refusal.message};
}

tl::expected<SettingRequest, std::vector<json::FieldError>> read_setting_request(
    const NamedValues& named) {
  SettingRequest request;
  std::vector<json::FieldError> invalid;
  for (const auto& [name, given] : named) {
    if (auto retired = model::retirement_of(name)) {
      request.ignored.push_back({std::string(name), *std::move(retired)});
      continue;
    }
    const model::Setting* setting = model::find_setting(name);
    if (setting == nullptr) {
      invalid.push_back(unknown_setting(name));
      continue;
    }
    if (given.is_null()) {
      request.changes.emplace(name, std::nullopt);
      continue;
    }
    auto value = model::accept(*setting, read_given(*setting, given));
    if (value) {
      request.changes.emplace(name, *std::move(value));
    } else {
      invalid.push_back(error_of(name, value.error()));
    }
  }
  if (invalid.empty()) return request;
  return tl::unexpected(std::move(invalid));
}

SettingChanges values_of(const RequestedChanges& changes) {
  SettingChanges values;
  for (const auto& [name, value] : changes) values.emplace(name, *value);
  return values;
}

}  // namespace store
