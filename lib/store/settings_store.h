#pragma once

#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "db/connection.h"
#include "model/setting.h"
#include "model/settings.h"

namespace store {

// A row as it is stored.
struct SettingRow {
  std::string name;
  std::string value;  // JSON, if nobody damaged it

  bool operator==(const SettingRow&) const = default;
};

struct StoredSettings {
  model::Settings settings;           // in effect
  std::vector<std::string> problems;  // of rows that do not count: sentences for the administrator
  std::map<std::string, std::string> damaged;  // those of known settings, by name
};

// Values by the settings' names.
using SettingChanges = std::map<std::string, model::SettingValue>;

// What the rows say. Settings without a row have their defaults, and so have those whose row is
// damaged; an unknown row is a problem too.
[[nodiscard]] StoredSettings interpret(const std::vector<SettingRow>& rows);

// DESIGN. Each setting that was ever set has a row of its own, and a change writes the rows of
// those settings only that it names and that it changes. So two administrators who change different
// settings at once both succeed, of two who change the same one the later wins, and a row that this
// program does not understand outlives every change that is not about it.
//
// Safe for concurrent use, each caller with its own connection. Errors of all functions: as
// db::Connection.
class SettingsStore {
 public:
  explicit SettingsStore(const std::string& table_prefix);

  // All rows, by name. They are few: comparing them with those of the last time tells whether
  // anything has changed, by whatever hand.
  [[nodiscard]] std::vector<SettingRow> rows(db::Connection& connection) const;

  [[nodiscard]] StoredSettings load(db::Connection& connection) const;

  // Makes all "changes" or none, and returns what is stored then. What a setting has already is not
  // written, so an answer that is edited and sent back leaves damaged rows alone; a change of one
  // is refused, with its sentence: only reset() removes what this program does not understand.
  // REQUIRES: the settings exist and their values were accepted.
  tl::expected<StoredSettings, std::string> change(db::Connection& connection,
                                                   const SettingChanges& changes) const;

  // Deletes the row called "name", so that the default counts. Returns whether there was one.
  bool reset(db::Connection& connection, const std::string& name) const;

 private:
  const std::string read_;
  const std::string save_;
  const std::string delete_;
};

}  // namespace store
