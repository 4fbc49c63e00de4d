#pragma once

#include <span>
#include <string_view>

namespace openapi {

// Returns the contents of the JSON files in lib/openapi. The file common.json contains the parts
// that several resources share, and each resource has its own file. The class Description merges
// the members "paths" and "components" of all files.
//
// The files contain only information that cannot be derived from the routes or the settings. In
// common.json, "security" lists all ways in which a request can identify its sender.
//
// The JSON files use the following abbreviations. A member "description" may be a list of lines, in
// which an empty line separates two paragraphs. The member "x-paths" of a tag lists the first path
// segments of the tag's routes. The member "x-answer" names the schema of a JSON response. The
// member "x-error" contains the error codes and the HTTP status of an error response. A string in
// the list "parameters" refers to the component with this name. If a route has the parameter
// "Format", its response may also be CSV, and if it has the parameters "Page" and "PerPage", its
// response has pagination headers. The name "Filters" in the list "parameters" represents all
// parameters that select ratings. The parameter "Fields" is added to routes whose response is JSON
// and depends on the requester. Every form may also be sent as multipart/form-data. A schema with
// the member "properties" has the type "object". If a schema has no member "required", all its
// properties are required. A schema whose name ends with "Answer" includes the schema "Success".
[[nodiscard]] std::span<const std::string_view> documents();

}  // namespace openapi
