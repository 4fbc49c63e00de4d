#pragma once

#include <string>

namespace api {

// A JSON object with the schema of each setting by name, for the description of the API. Defaults
// are in the descriptions: a default in a request's body would make generated clients require it.
// Templates have no enum, as they depend on the site.
[[nodiscard]] std::string setting_schemas();

}  // namespace api
