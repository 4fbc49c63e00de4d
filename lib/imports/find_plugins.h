#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "imports/plugin.h"

namespace imports {

// The tables of a plugin that this account can read.
struct PluginTables {
  // A table that exists but cannot be read, such as a crashed one or a view of a deleted user.
  struct Damaged {
    std::string_view table;
    std::string error;  // of the server
  };
  std::set<std::string_view> readable;
  std::vector<std::string_view> missing;  // or not allowed
  std::vector<Damaged> damaged;
  bool is_enough = false;  // whether an import is possible

  // "also" may be empty.
  [[nodiscard]] bool have(std::string_view table, std::string_view also) const {
    return readable.contains(table) && (also.empty() || readable.contains(also));
  }
};

// Errors of all functions: as db::Connection.
[[nodiscard]] PluginTables find_tables(db::Connection& connection, const Plugin& plugin);

struct FoundPlugin {
  const Plugin* plugin;
  PluginTables tables;
};
// The plugins that the site has or had: this account can read their own tables, or the CMS's
// options name them.
[[nodiscard]] std::vector<FoundPlugin> find_plugins(db::Connection& connection);

}  // namespace imports
