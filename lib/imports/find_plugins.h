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
  std::set<std::string_view> readable;
  std::vector<std::string_view> missing;  // or not readable
  bool is_enough = false;                 // whether an import is possible

  [[nodiscard]] bool are_enough_for(const VoteQuery& query) const {
    return readable.contains(query.table) && (query.also.empty() || readable.contains(query.also));
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
