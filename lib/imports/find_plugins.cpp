#include "imports/find_plugins.h"

#include <algorithm>

namespace imports {
namespace {

bool is_named_in_options(db::Connection& connection, const Plugin& plugin) {
  return connection
      .query(
          "SELECT 1 FROM {prefix}options WHERE option_name LIKE ?"
          " OR (option_name = 'active_plugins' AND option_value LIKE ?) LIMIT 1",
          plugin.options, "%\"" + std::string(plugin.folder) + "/%")
      .next();
}

}  // namespace

PluginTables find_tables(db::Connection& connection, const Plugin& plugin) {
  PluginTables tables;
  bool lacks_required = false;
  for (const PluginTable& table : plugin.tables) {
    const std::string name(table.name);
    if (db::may_run(connection, "SELECT 1 FROM {prefix}" + name + " LIMIT 1")) {
      tables.readable.insert(table.name);
    } else {
      tables.missing.push_back(table.name);
      lacks_required = lacks_required || table.is_required;
    }
  }
  const auto is_readable = [&](const auto& query) { return tables.readable.contains(query.table); };
  tables.is_enough = !lacks_required && (std::ranges::any_of(plugin.votes, is_readable) ||
                                         std::ranges::any_of(plugin.totals, is_readable));
  return tables;
}

std::vector<FoundPlugin> find_plugins(db::Connection& connection) {
  const bool has_options = db::may_run(connection, "SELECT 1 FROM {prefix}options LIMIT 1");
  std::vector<FoundPlugin> found;
  for (const Plugin* plugin : plugins()) {
    PluginTables tables = find_tables(connection, *plugin);
    const bool has_votes = std::ranges::any_of(plugin->votes, [&](const VoteQuery& query) {
      return tables.readable.contains(query.table);
    });
    if (has_votes || (has_options && is_named_in_options(connection, *plugin))) {
      found.push_back({plugin, std::move(tables)});
    }
  }
  return found;
}

}  // namespace imports
