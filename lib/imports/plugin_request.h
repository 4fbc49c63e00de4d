#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "imports/plugin.h"
#include "imports/plugin_import.h"
#include "json/fields.h"

// Reads requests to import the votes of another plugin. HTTP parameters and the flags of the
// command are both read here.
namespace imports {

struct PluginRequest {
  const Plugin* plugin = nullptr;  // nullptr: there is none with this name
  bool is_dry = false;
  PluginImport::Position begin;  // of the part
};

// dry_run, and after: the end of the part before. Errors are noted in "fields".
[[nodiscard]] PluginRequest read_plugin_request(json::Fields& fields, std::string_view name);

// "1.2048": the query and its row.
[[nodiscard]] std::string to_text(const PluginImport::Position& position);

// The number of queries that read the plugin's tables.
[[nodiscard]] std::size_t queries_of(const Plugin& plugin);

}  // namespace imports
