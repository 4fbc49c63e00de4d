#pragma once

#include <cstdint>
#include <string_view>

#include "imports/plugin.h"
#include "json/fields.h"

// Reads requests to import another plugin's votes. The requests come from HTTP parameters or
// command-line flags.
namespace imports {

struct PluginRequest {
  const Plugin* plugin = nullptr;  // nullptr if no plugin has this name
  bool is_dry = false;
  std::uint64_t after = 0;  // the last object in the previous part
};

// Reads the "dry_run" and "after" parameters. Reports invalid parameters as errors in "fields".
[[nodiscard]] PluginRequest read_plugin_request(json::Fields& fields, std::string_view name);

}  // namespace imports
