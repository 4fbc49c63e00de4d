#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "imports/plugin.h"

namespace imports {

// A plugin's tables, grouped by whether this database account can read them.
struct PluginTables {
  // A table that exists but cannot be read, for example a damaged table or a view whose definer was
  // deleted.
  struct Damaged {
    std::string_view table;
    std::string error;  // the server's error
  };
  std::set<std::string_view> readable;
  // Tables that do not exist, or that the database account may not read.
  std::vector<std::string_view> missing;
  std::vector<Damaged> damaged;
  bool is_enough = false;  // whether an import is possible

  // Returns whether "table" and "also" can be read. An empty "also" is ignored.
  [[nodiscard]] bool have(std::string_view table, std::string_view also) const {
    return readable.contains(table) && (also.empty() || readable.contains(also));
  }
};

// All functions can throw the same exceptions as db::Connection.
[[nodiscard]] PluginTables find_tables(db::Connection& connection, const Plugin& plugin);

struct FoundPlugin {
  const Plugin* plugin;
  PluginTables tables;
};
// Returns the plugins that the site uses or has used. A plugin is found if this database account
// can read the plugin's own tables, or if the CMS's options name the plugin.
[[nodiscard]] std::vector<FoundPlugin> find_plugins(db::Connection& connection);

}  // namespace imports
