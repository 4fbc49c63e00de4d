#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "db/connection.h"
#include "json/codec.h"
#include "json/fields.h"
#include "model/settings.h"
#include "store/template_store.h"

namespace store {

// A row in the table of settings.
struct SettingRow {
  std::string name;
  std::string value;      // JSON, unless the row is damaged
  bool is_fixed = false;  // true if a network enforces the setting for all its sites

  bool operator==(const SettingRow&) const = default;
};

// A setting whose stored value has no effect, and a message for the administrator.
struct SettingProblem {
  std::string name;  // the setting's name
  base::Message message;
};

struct StoredSettings {
  model::Settings settings;  // the settings in effect
  std::vector<SettingProblem> problems;
  std::set<std::string> damaged;  // the settings whose stored value has no effect
  std::set<std::string> fixed;    // the settings that the network enforces, which no site can
                                  // change
};

// Maps the names of settings to their new values.
using SettingChanges = std::map<std::string, model::SettingValue>;

struct RefusedChange {
  std::string name;  // the setting's name
  model::Refusal refusal;
};

// Returns the settings in "rows". If the row of a setting is missing or damaged, the setting has
// its default value. For each row with an unknown setting, the result contains a SettingProblem.
[[nodiscard]] StoredSettings interpret(const std::vector<SettingRow>& rows);

// DESIGN. Each setting that was ever changed has its own row. A change writes only the rows of the
// changed settings, so concurrent changes to different settings all succeed. If two changes affect
// the same setting, the later change wins. Rows for settings known only to a different program
// version remain unchanged.
//
// The settings that a network enforces for all its sites are stored with the first site, in rows
// whose names begin with kFixed. An enforced setting overrides a site's own row, but the site's row
// is preserved.
//
// All functions throw the same exceptions as db::Connection.

inline constexpr std::string_view kFixed = "network.";

// Returns all rows sorted by name. The settings that a network enforces come last, and their names
// in the result do not begin with kFixed. The table is small, so callers can detect changes by
// comparing all rows with the previous rows.
[[nodiscard]] std::vector<SettingRow> setting_rows(db::Connection& connection);

// Returns the stored settings. If a setting selects a template that does not exist or is for a
// different category, the result contains a problem for this setting, and widgets use the default
// template. The stored value of the setting does not change. "names" contains the templates that
// settings may select.
[[nodiscard]] StoredSettings load_settings(db::Connection& connection,
                                           const TemplateChoices& names);
[[nodiscard]] inline StoredSettings load_settings(db::Connection& connection) {
  return load_settings(connection, TemplateChoices(connection));
}

// Returns the changes that change_settings() would write, or the error that it would return.
[[nodiscard]] tl::expected<SettingChanges, RefusedChange> effective_changes(
    db::Connection& connection, const SettingChanges& changes, const TemplateChoices& names);

// Applies all changes or none, and returns the stored settings. Values that are already in effect
// are not written again. Damaged rows are always replaced. Returns an error if a setting selects a
// template that does not exist in its category, or if a change affects a setting that the network
// enforces. The settings must exist, and model::accept() must have accepted their values.
tl::expected<StoredSettings, RefusedChange> change_settings(db::Connection& connection,
                                                            const SettingChanges& changes,
                                                            const TemplateChoices& names);
inline tl::expected<StoredSettings, RefusedChange> change_settings(db::Connection& connection,
                                                                   const SettingChanges& changes) {
  return change_settings(connection, changes, TemplateChoices(connection));
}

// Requested changes to settings. In a request for a network, null means that the network no longer
// enforces the setting.
using RequestedChanges = std::map<std::string, std::optional<model::SettingValue>>;

// Changes the settings that the network enforces, in the same way as change_settings(), and returns
// the result of load_fixed_settings(). Rejects templates that are not built in, because each site
// has its own templates. "connection" must use the tables of the network's first site.
tl::expected<StoredSettings, RefusedChange> fix_settings(db::Connection& connection,
                                                         const RequestedChanges& changes);

// Returns the values of the settings that the network enforces. In the result, settings that the
// network does not enforce have their default values.
[[nodiscard]] StoredSettings load_fixed_settings(db::Connection& connection);

// Deletes the row of the setting "name", so that the default value applies. If "name" begins with
// kFixed, deletes the row for all sites in the network. Returns whether the row existed.
bool reset_setting(db::Connection& connection, const std::string& name);

// Returns nothing if "value" is invalid for every setting, for example null, an object, or a list
// with an element that is not a string.
[[nodiscard]] std::optional<model::SettingValue> read_setting_value(const json::Value& value);

void write_setting_value(json::Writer& json, const model::SettingValue& value);

// Functions that read changes to settings from an HTTP request or a command line.

// Maps the names of settings to the requested new values. If a value is null, the network no longer
// enforces the setting.
using NamedValues = std::map<std::string_view, json::Value>;

struct SettingRequest {
  RequestedChanges changes;
  // Contains a problem for each retired setting in the request, because the value of a retired
  // setting has no effect.
  std::vector<SettingProblem> ignored;
};

// Returns the requested changes, or an error for each invalid value.
[[nodiscard]] tl::expected<SettingRequest, std::vector<json::FieldError>> read_setting_request(
    const NamedValues& named);

// Returns the values in "changes", none of which may be null.
[[nodiscard]] SettingChanges values_of(const RequestedChanges& changes);

// Returns the error for an unknown setting name.
[[nodiscard]] json::FieldError unknown_setting(std::string_view name);

// Returns the error for a rejected value.
[[nodiscard]] json::FieldError error_of(std::string_view name, const model::Refusal& refusal);

}  // namespace store
