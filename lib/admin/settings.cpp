#include "model/settings.h"

#include <fmt/core.h>

#include <cstdio>

#include "admin/commands.h"
#include "admin/network.h"
#include "admin/output.h"
#include "store/settings_store.h"

namespace admin {
namespace {

std::string value_of(const model::Setting& setting, const model::Settings& settings) {
  return model::to_text(setting.get(settings));
}

void print(const model::Setting& setting, const model::Settings& settings) {
  print_line(fmt::format("{}={}", setting.name, value_of(setting, settings)));
}

int refuse_unknown(std::string_view name) {
  return refuse(store::unknown_setting(name).message.text());
}

// Parses "word", such as "name=value", as a change to a setting and adds it to "changes". Returns
// an error message, or an empty string if "word" is valid.
std::string add_change(const std::string& word, store::RequestedChanges& changes) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return word + " is not name=value.";
  const std::string_view name = std::string_view(word).substr(0, equals);
  auto request = store::read_setting_request({{name, {word.substr(equals + 1)}}});
  if (!request) return request.error().front().message.text();
  for (const auto& ignored : request->ignored) print_text(ignored.message.text(), stderr);
  changes.merge(request->changes);
  return request->changes.empty() ? "" : std::string(name) + " is given twice.";
}

// Resets all settings. Also deletes the stored values of settings unknown to this version.
int reset_all(db::Connection& connection) {
  for (const store::SettingRow& row : store::setting_rows(connection)) {
    if (!row.is_fixed) store::reset_setting(connection, row.name);
  }
  const auto stored = store::load_settings(connection);
  for (const model::Setting& setting : model::all_settings()) print(setting, stored.settings);
  return 0;
}

// Prints the settings that are enforced for all sites (--all-sites).
void print_fixed(const store::StoredSettings& stored) {
  for (const model::Setting& setting : model::all_settings()) {
    if (stored.fixed.contains(std::string(setting.name))) print(setting, stored.settings);
  }
}

}  // namespace

int get_settings(const Invocation& call) {
  db::Connection connection = connect(call.config, kShortWait);
  require_tables(connection);
  const auto stored = store::load_settings(connection);
  if (call.has(kAllSites) && !call.arguments.empty()) {
    return refuse(
        "ratingctl: settings get --all-sites shows all enforced settings and takes no name.");
  }
  if (call.has(kAllSites)) {
    print_fixed(stored);
  } else if (call.arguments.empty()) {
    for (const model::Setting& setting : model::all_settings()) print(setting, stored.settings);
  } else if (const model::Setting* setting = model::find_setting(call.arguments.front())) {
    print_line(value_of(*setting, stored.settings));
  } else {
    return refuse_unknown(call.arguments.front());
  }
  for (const auto& problem : stored.problems) print_text(problem.message.text(), stderr);
  return stored.problems.empty() ? 0 : 1;
}

int set_settings(const Invocation& call) {
  store::RequestedChanges changes;
  int status = 0;
  for (const std::string& word : call.arguments) {
    const std::string wrong = add_change(word, changes);
    if (!wrong.empty()) status = refuse(wrong);
  }
  if (status != 0) return status;
  db::Connection connection = connect(call.config, kShortWait);
  require_tables(connection);
  const auto stored = call.has(kAllSites)
                          ? store::fix_settings(connection, changes)
                          : store::change_settings(connection, store::values_of(changes));
  if (!stored) return refuse(stored.error().refusal.message.text());
  for (const auto& [name, value] : changes) print(*model::find_setting(name), stored->settings);
  return 0;
}

int reset_settings(const Invocation& call) {
  if (call.has("all") == !call.arguments.empty()) {
    return refuse("ratingctl: settings reset takes either names of settings or --all.");
  }
  if (call.has("all") && call.has(kAllSites)) {
    return refuse("ratingctl: settings reset --all-sites requires names of settings.");
  }
  db::Connection connection = connect(call.config, kShortWait);
  require_tables(connection);
  if (call.arguments.empty()) return reset_all(connection);
  int status = 0;
  const std::string scope(call.has(kAllSites) ? store::kFixed : "");
  for (const std::string& name : call.arguments) {
    const model::Setting* setting = model::find_setting(name);
    const bool is_of_network = scope.empty() && name.starts_with(store::kFixed);
    if (is_of_network || (!store::reset_setting(connection, scope + name) && setting == nullptr)) {
      status = refuse_unknown(name);
    } else if (setting != nullptr) {
      print(*setting, store::load_settings(connection).settings);
    }
  }
  return status;
}

}  // namespace admin
