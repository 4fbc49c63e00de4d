#pragma once

#include <string>

#include "json/codec.h"
#include "model/settings.h"

namespace openapi {

// Writes the allowed values of "setting" as JSON Schema into an open object.
void write_allowed(json::Writer& json, const model::Setting& setting);

// Returns the default value of "setting" as JSON.
[[nodiscard]] std::string default_of(const model::Setting& setting);

// Returns a JSON object with each setting's schema, by name. Each schema becomes a component in the
// description. Defaults appear only in the "description" members, because generated clients would
// treat a body member with a default as required. Settings that name templates have no enum,
// because the templates depend on the site.
[[nodiscard]] std::string setting_schemas();

}  // namespace openapi
