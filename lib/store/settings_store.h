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
#include "model/setting.h"
#include "model/settings.h"
#include "store/template_store.h"

namespace store {

// A row as it is stored.
struct SettingRow {
  std::string name;
  std::string value;      // JSON, unless damaged
  bool is_fixed = false;  // for all sites of a network

  bool operator==(const SettingRow&) const = default;
};

// A value without effect: a message for the administrator.
struct SettingProblem {
  std::string name;  // of the setting
  base::Message message;
};

struct StoredSettings {
  model::Settings settings;  // in effect
  std::vector<SettingProblem> problems;
  std::set<std::string> damaged;  // the settings whose stored value has no effect
  std::set<std::string> fixed;    // those that the network has fixed: no site can change them
};

// Values by the settings' names.
using SettingChanges = std::map<std::string, model::SettingValue>;

struct RefusedChange {
  std::string name;  // of the setting
  model::Refusal refusal;
};

// The settings of the rows. Settings without a row, or with a damaged one, have their defaults; an
// unknown row is reported as a problem.
[[nodiscard]] StoredSettings interpret(const std::vector<SettingRow>& rows);

// DESIGN. Each setting that was ever set has its own row, and a change writes only the rows of
// settings that it names and changes. So concurrent changes of different settings both succeed, the
// later change of the same setting wins, and a row that this program does not understand survives
// all changes of other settings.
//
// What a network fixes for all its sites are rows of its first site, whose names begin with kFixed.
// They count before a site's own rows, which stay.
//
// Errors of all functions: as db::Connection.

inline constexpr std::string_view kFixed = "network.";

// All rows, by name; those that are fixed last, and without kFixed in their names. There are few:
// comparing them with the previous rows detects any change.
[[nodiscard]] std::vector<SettingRow> setting_rows(db::Connection& connection);

// A setting whose template is missing or of another category keeps its value, and is a problem:
// widgets are then shown with the default. "names": what settings may name now.
[[nodiscard]] StoredSettings load_settings(db::Connection& connection,
                                           const TemplateChoices& names);
[[nodiscard]] inline StoredSettings load_settings(db::Connection& connection) {
  return load_settings(connection, TemplateChoices(connection));
}

// Applies all "changes" or none, and returns the stored settings. Values in effect are not written
// again; a damaged row is replaced by any value. Refused are a template that does not exist in the
// setting's category, and another value than the one that the network has fixed.
// REQUIRES: the settings exist and their values were accepted.
tl::expected<StoredSettings, RefusedChange> change_settings(db::Connection& connection,
                                                            const SettingChanges& changes,
                                                            const TemplateChoices& names);
inline tl::expected<StoredSettings, RefusedChange> change_settings(db::Connection& connection,
                                                                   const SettingChanges& changes) {
  return change_settings(connection, changes, TemplateChoices(connection));
}

// Values that a network fixes for all its sites; nothing: each site decides again.
using FixedChanges = std::map<std::string, std::optional<model::SettingValue>>;

// As change_settings(). Refused is a template that is not built in: other sites do not have it.
// Returns load_fixed_settings(). REQUIRES: "connection" is for the tables of the first site.
tl::expected<StoredSettings, RefusedChange> fix_settings(db::Connection& connection,
                                                         const FixedChanges& changes);

// What the network fixes, with defaults for all else.
[[nodiscard]] StoredSettings load_fixed_settings(db::Connection& connection);

// Deletes the row "name", so that the default applies; with kFixed before it, the row of all sites.
// Returns whether it existed.
bool reset_setting(db::Connection& connection, const std::string& name);

// The JSON form of setting values, in the table, in requests and in answers.

// Nothing for JSON that cannot be a setting's value: null, objects, lists of anything but strings.
[[nodiscard]] std::optional<model::SettingValue> read_setting_value(const json::Value& value);

void write_setting_value(json::Writer& json, const model::SettingValue& value);

}  // namespace store
