#pragma once

#include <string>

#include "json/codec.h"
#include "model/settings.h"

namespace openapi {

// Writes the allowed values of "setting" as JSON Schema members into the current object of "json".
void write_allowed(json::Writer& json, const model::Setting& setting);

// Returns the default value of "setting" as JSON.
[[nodiscard]] std::string default_of(const model::Setting& setting);

// Returns a JSON object that contains the schema of each setting under the setting's name. Each
// schema becomes a component in the OpenAPI description. The default values appear only in the
// member "description", because generated API clients would treat a body member with a default
// value as required. If a setting selects a template, its schema has no "enum", because each site
// has different templates.
[[nodiscard]] std::string setting_schemas();

}  // namespace openapi
