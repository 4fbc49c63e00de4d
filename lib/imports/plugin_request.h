#pragma once

#include <cstdint>
#include <string_view>

#include "imports/plugin.h"
#include "json/fields.h"

// Reads requests to import the votes of another plugin. HTTP parameters and the flags of the
// command are both read here.
namespace imports {

struct PluginRequest {
  const Plugin* plugin = nullptr;  // nullptr: no plugin has this name
  bool is_dry = false;
  std::uint64_t after = 0;  // the last object of the part before
};

// Reads the parameters dry_run and after (the end of the part before). Adds errors to "fields".
[[nodiscard]] PluginRequest read_plugin_request(json::Fields& fields, std::string_view name);

}  // namespace imports
