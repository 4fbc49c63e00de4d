#pragma once

#include <cstdint>
#include <string_view>

#include "imports/plugin.h"
#include "json/fields.h"

// Reads requests to import the votes of another plugin. HTTP parameters and the flags of the
// command are both read here.
namespace imports {

struct PluginRequest {
  const Plugin* plugin = nullptr;  // nullptr: there is none with this name
  bool is_dry = false;
  std::uint64_t after = 0;  // the last object of the part before
};

// dry_run, and after: the end of the part before. Errors are noted in "fields".
[[nodiscard]] PluginRequest read_plugin_request(json::Fields& fields, std::string_view name);

}  // namespace imports
