#include "imports/plugin_request.h"

#include "base/message.h"
#include "base/text.h"

namespace imports {

PluginRequest read_plugin_request(json::Fields& fields, std::string_view name) {
  PluginRequest request;
  request.plugin = plugin_named(name);
  if (request.plugin == nullptr) return request;
  request.is_dry = fields.boolean("dry_run").value_or(false);
  if (const auto after = fields.string("after", json::Fields::Presence::optional)) {
    const auto object = base::parse_number<std::uint64_t>(*after);
    if (!object) {
      fields.reject(
          "after", "rest_invalid_pattern",
          base::Message(
              "The “after” parameter must be the “next” value from the previous response."));
    }
    request.after = object.value_or(0);
  }
  return request;
}

}  // namespace imports
