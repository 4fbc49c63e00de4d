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

// A stored row.
struct SettingRow {
  std::string name;
  std::string value;      // JSON, unless the row is damaged
  bool is_fixed = false;  // enforced for all sites in a network

  bool operator==(const SettingRow&) const = default;
};

// A stored value that has no effect, and a message for the administrator.
struct SettingProblem {
  std::string name;  // the setting's name
  base::Message message;
};

struct StoredSettings {
  model::Settings settings;  // the settings in effect
  std::vector<SettingProblem> problems;
  std::set<std::string> damaged;  // the settings whose stored value has no effect
  std::set<std::string> fixed;    // the settings that the network enforces; no site can change them
};

// Values by the settings' names.
using SettingChanges = std::map<std::string, model::SettingValue>;

struct RefusedChange {
  std::string name;  // the setting's name
  model::Refusal refusal;
};

// Returns the settings in "rows". A setting that has no row or a damaged row gets its default. A
// row for an unknown setting is reported as a problem.
[[nodiscard]] StoredSettings interpret(const std::vector<SettingRow>& rows);

// DESIGN. Each setting that was ever set has its own row. A change writes only the rows of the
// settings whose values it changes. So concurrent changes to different settings both succeed. If
// two changes affect the same setting, the later change remains. A row that this program does not
// understand is not affected by changes to other settings.
//
// The settings that a network enforces for all its sites are stored in rows of its first site,
// whose names begin with kFixed. They override a site's own rows, which are preserved.
//
// Errors (all functions): same as db::Connection.

inline constexpr std::string_view kFixed = "network.";

// Returns all rows sorted by name. Rows for enforced settings come last, and their names do not
// contain kFixed. There are so few rows that callers can compare all of them with the previous rows
// to detect changes.
[[nodiscard]] std::vector<SettingRow> setting_rows(db::Connection& connection);

// Returns the stored settings. If a setting's template does not exist or belongs to another
// category, the setting keeps its value and is reported as a problem, and widgets use the default
// template. "names" contains the templates that settings may name.
[[nodiscard]] StoredSettings load_settings(db::Connection& connection,
                                           const TemplateChoices& names);
[[nodiscard]] inline StoredSettings load_settings(db::Connection& connection) {
  return load_settings(connection, TemplateChoices(connection));
}

// Applies either all "changes" or none and returns the stored settings. Values that are already in
// effect are not written again. Any value replaces a damaged row. Errors: a change names a template
// that does not exist in the setting's category, or a setting that the network enforces would be
// changed.
// REQUIRES: the settings exist and model::accept() has accepted their values.
tl::expected<StoredSettings, RefusedChange> change_settings(db::Connection& connection,
                                                            const SettingChanges& changes,
                                                            const TemplateChoices& names);
inline tl::expected<StoredSettings, RefusedChange> change_settings(db::Connection& connection,
                                                                   const SettingChanges& changes) {
  return change_settings(connection, changes, TemplateChoices(connection));
}

// Values that a network enforces for all its sites. No value means that each site decides again.
using FixedChanges = std::map<std::string, std::optional<model::SettingValue>>;

// Does the same as change_settings() for the settings that the network enforces, and returns the
// result of load_fixed_settings(). Templates that are not built in are also refused, because other
// sites do not have them. REQUIRES: "connection" uses the first site's tables.
tl::expected<StoredSettings, RefusedChange> fix_settings(db::Connection& connection,
                                                         const FixedChanges& changes);

// Returns the settings that the network enforces. All other settings have their defaults.
[[nodiscard]] StoredSettings load_fixed_settings(db::Connection& connection);

// Deletes the row "name", so that the default applies. If "name" begins with kFixed, deletes the
// row for all sites in the network. Returns whether the row existed.
bool reset_setting(db::Connection& connection, const std::string& name);

// The JSON form of a setting's value in the table, in requests and in responses.

// Returns nothing if the JSON cannot be a setting's value. This is the case for null, an object, or
// a list with an element that is not a string.
[[nodiscard]] std::optional<model::SettingValue> read_setting_value(const json::Value& value);

void write_setting_value(json::Writer& json, const model::SettingValue& value);

// Reads requests to change settings, from the members in an HTTP request or from a command line.

// New values, by setting name. Null means that the network no longer enforces the setting.
using NamedValues = std::map<std::string_view, json::Value>;

struct SettingRequest {
  FixedChanges changes;
  // Problems with retired settings, whose values have no effect.
  std::vector<SettingProblem> ignored;
};

// Returns the request. If values are invalid, returns an error for each invalid value.
[[nodiscard]] tl::expected<SettingRequest, std::vector<json::FieldError>> read_setting_request(
    const NamedValues& named);

// Returns the values in "changes". REQUIRES: no value was null.
[[nodiscard]] SettingChanges values_of(const FixedChanges& changes);

// Returns the error for an unknown setting name.
[[nodiscard]] json::FieldError unknown_setting(std::string_view name);

// Returns the error for a value that is refused.
[[nodiscard]] json::FieldError error_of(std::string_view name, const model::Refusal& refusal);

}  // namespace store
