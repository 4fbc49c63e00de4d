#pragma once

#include <string>

#include "json/codec.h"
#include "model/setting.h"

namespace openapi {

// Writes the allowed values of "setting" as JSON Schema, into an open object.
void write_allowed(json::Writer& json, const model::Setting& setting);

// Returns the default of "setting" as JSON.
[[nodiscard]] std::string default_of(const model::Setting& setting);

// Returns a JSON object with the schema of each setting by name. Each becomes a component of the
// description. Defaults are in the descriptions, because generated clients would require a member
// of a request's body that has a default. Templates have no enum, because they depend on the site.
[[nodiscard]] std::string setting_schemas();

}  // namespace openapi
