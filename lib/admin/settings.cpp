#include "admin/settings.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>

#include "admin/database_waits.h"
#include "admin/print_line.h"
#include "db/endpoint.h"
#include "model/settings_table.h"
#include "store/settings_store.h"

namespace admin {
namespace {

void complain(const std::string& sentence) { print_line(sentence, stderr); }

std::string unknown_setting(std::string_view name) {
  const auto like = model::names_like(name);
  std::string sentence = "There is no setting ";
  sentence.append(name).append("; did you mean ").append(like[0]).append(", ");
  return sentence.append(like[1]).append(" or ").append(like[2]).append("?");
}

std::string value_of(const model::Setting& setting, const model::Settings& settings) {
  return model::to_text(setting.get(settings));
}

void print(const model::Setting& setting, const model::Settings& settings) {
  print_line(fmt::format("{}={}", setting.name, value_of(setting, settings)));
}

// Adds the change in "word", "name=value". Returns the error, or nothing.
std::string add_change(std::string_view word, store::SettingChanges& changes) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return std::string(word) + " is not name=value.";
  const std::string_view name = word.substr(0, equals);
  const model::Setting* setting = model::find_setting(name);
  if (setting == nullptr) return unknown_setting(name);
  const auto value = model::accept(*setting, std::string(word.substr(equals + 1)));
  if (!value) return value.error().message;
  const bool added = changes.emplace(name, *value).second;
  return added ? "" : std::string(name) + " is given twice.";
}

// Also removes unknown rows.
int reset_all(const store::SettingsStore& store, db::Connection& connection) {
  for (const store::SettingRow& row : store.rows(connection)) store.reset(connection, row.name);
  for (const model::Setting& setting : model::all_settings()) print(setting, model::Settings());
  return 0;
}

}  // namespace

int get_settings(const config::Config& config, Arguments arguments) {
  db::Connection connection(db::endpoint_of(config.database, kWaitForFew));
  const auto stored = store::SettingsStore(config.table_prefix).load(connection);
  if (arguments.empty()) {
    for (const model::Setting& setting : model::all_settings()) print(setting, stored.settings);
  } else if (const model::Setting* setting = model::find_setting(arguments.front())) {
    print_line(value_of(*setting, stored.settings));
  } else {
    complain(unknown_setting(arguments.front()));
    return kWrongArguments;
  }
  for (const std::string& problem : stored.problems) complain(problem);
  return stored.problems.empty() ? 0 : 1;
}

int set_settings(const config::Config& config, Arguments arguments) {
  store::SettingChanges changes;
  bool all_right = true;
  for (const std::string& word : arguments) {
    const std::string wrong = add_change(word, changes);
    if (wrong.empty()) continue;
    complain(wrong);
    all_right = false;
  }
  if (!all_right) return kWrongArguments;
  db::Connection connection(db::endpoint_of(config.database, kWaitForFew));
  const auto stored = store::SettingsStore(config.table_prefix).change(connection, changes);
  if (!stored) {
    complain(stored.error().refusal.message);
    return kWrongArguments;
  }
  for (const auto& [name, value] : changes) print(*model::find_setting(name), stored->settings);
  return 0;
}

int reset_settings(const config::Config& config, Arguments arguments, const Flags& flags) {
  if (flags.contains("all") == !arguments.empty()) {
    complain("ratingctl: settings reset takes either names of settings or --all");
    return kWrongArguments;
  }
  db::Connection connection(db::endpoint_of(config.database, kWaitForFew));
  const store::SettingsStore store(config.table_prefix);
  if (arguments.empty()) return reset_all(store, connection);
  int status = 0;
  for (const std::string& name : arguments) {
    const model::Setting* setting = model::find_setting(name);
    if (!store.reset(connection, name) && setting == nullptr) {
      complain(unknown_setting(name));
      status = kWrongArguments;
    } else if (setting != nullptr) {
      print(*setting, model::Settings());
    }
  }
  return status;
}

}  // namespace admin
