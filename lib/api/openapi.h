#pragma once

#include <string>
#include <string_view>

namespace api {

// The file openapi.json beside this one: what follows neither from routes() nor from the settings.
// "security" are all ways to be identified. The file leaves out what follows from these rules:
// - a tag has the first segments of its paths in "x-paths";
// - "x-answer" is the schema of a JSON response, "x-error" the codes and the status of an error;
// - strings in "parameters" name components. "Format" adds CSV to the response, "Page" and
//   "PerPage" add the headers of pages. "Filters" are all parameters that select ratings. "Fields"
//   is added where the response is JSON and not the same for everybody;
// - a form may also be multipart/form-data;
// - a schema with "properties" is of type "object" and, without "required", requires all of them;
// - schemas whose name ends with "Answer" include "Success".
[[nodiscard]] std::string_view openapi_text();

// A JSON object with the schema of each setting by name, for the description, where each becomes a
// component. Defaults
// are in the descriptions: a default in a request's body would make generated clients require it.
// Templates have no enum, as they depend on the site.
[[nodiscard]] std::string setting_schemas();

// The OpenAPI description of the service: openapi_text() with what follows from them. The default
// base path occurs in it once.
[[nodiscard]] const std::string& openapi_description();

}  // namespace api
