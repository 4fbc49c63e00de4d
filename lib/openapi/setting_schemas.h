#pragma once

#include <string>

#include "json/codec.h"
#include "model/settings.h"

namespace openapi {

// Describes the allowed values of "setting" by adding JSON Schema keywords such as "enum" to the
// current JSON object in "json".
void write_allowed(json::Writer& json, const model::Setting& setting);

// Returns the default value of "setting" in JSON format.
[[nodiscard]] std::string default_of(const model::Setting& setting);

// Returns a JSON object that contains each setting's schema as a member with the setting's name.
// Each schema becomes a component in the OpenAPI description. The schemas mention default values
// only in "description", because some generated API clients treat body members with default values
// as required. If a setting's value is the name of a template, the schema has no "enum", because
// each site has different templates.
[[nodiscard]] std::string setting_schemas();

}  // namespace openapi
