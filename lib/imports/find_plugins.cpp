#include "imports/find_plugins.h"

#include <algorithm>

#include "imports/damaged_table.h"

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

// Returns whether "table" belongs to WordPress or BuddyPress. A WordPress or BuddyPress table does
// not prove that a rating plugin was used.
bool is_of_others(std::string_view table) {
  return table == "postmeta" || table == "commentmeta" || table.starts_with("bp_");
}

// Adds a view's definer to the error message, because the server reports only "access denied" if
// the definer has been deleted.
std::string error_of(db::Connection& connection, std::string_view table,
                     const db::Failure& failure) {
  const auto definer =
      connection
          .query(
              "SELECT definer FROM information_schema.views WHERE table_schema = DATABASE()"
              " AND table_name = ?",
              connection.table_prefix() + std::string(table))
          .first(db::text_in);
  const std::string error = failure.what();
  return definer ? error + " (a view with the definer " + *definer + ")" : error;
}

}  // namespace

PluginTables find_tables(db::Connection& connection, const Plugin& plugin) {
  PluginTables tables;
  bool lacks_required = false;
  for (const PluginTable& table : plugin.tables) {
    // Read a whole row to detect damaged rows, because MyISAM executes SELECT 1 without reading any
    // row.
    const std::string statement = "SELECT COUNT(*) FROM (SELECT * FROM {prefix}" +
                                  std::string(table.name) + " LIMIT 1) AS first_row";
    try {
      if (db::may_run(connection, statement)) {
        tables.readable.insert(table.name);
        continue;
      }
      tables.missing.push_back(table.name);
      lacks_required = lacks_required || table.is_required;
    } catch (const db::Failure& failure) {
      if (!is_of_table(failure)) throw;
      tables.damaged.push_back({table.name, error_of(connection, table.name, failure)});
    }
  }
  const auto is_readable = [&](const auto& query) { return tables.readable.contains(query.table); };
  tables.is_enough = !lacks_required && tables.damaged.empty() &&
                     (std::ranges::any_of(plugin.votes, is_readable) ||
                      std::ranges::any_of(plugin.totals, is_readable));
  return tables;
}

std::vector<FoundPlugin> find_plugins(db::Connection& connection) {
  const bool has_options = db::may_run(connection, "SELECT 1 FROM {prefix}options LIMIT 1");
  std::vector<FoundPlugin> found;
  for (const Plugin* plugin : plugins()) {
    PluginTables tables = find_tables(connection, *plugin);
    const bool has_votes =
        std::ranges::any_of(
            plugin->votes,
            [&](const VoteQuery& query) { return tables.readable.contains(query.table); }) ||
        std::ranges::any_of(tables.damaged, [](const PluginTables::Damaged& damaged) {
          return !is_of_others(damaged.table);
        });
    if (has_votes || (has_options && is_named_in_options(connection, *plugin))) {
      found.push_back({plugin, std::move(tables)});
    }
  }
  return found;
}

}  // namespace imports
