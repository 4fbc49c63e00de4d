#pragma once

#include <span>
#include <string_view>

namespace openapi {

// Returns the JSON files in lib/openapi. The file common.json contains the parts that several
// resources share, and each resource has its own file. The class Description merges the members
// "paths" and "components" of all files.
//
// The files contain only what cannot be derived from the routes or the settings. In common.json,
// "security" lists all ways to identify the requester.
//
// The files use the following abbreviations. A member "description" may be a list of lines, in
// which an empty line separates two paragraphs. The member "x-paths" of a tag lists the first path
// segments of the tag's routes. The member "x-answer" contains the name of the schema for a JSON
// response. The member "x-error" contains an error's codes and status. A string in the list
// "parameters" is the name of a component. The parameter "Format" adds CSV to the response, and the
// parameters "Page" and "PerPage" add the pagination headers. The name "Filters" includes all
// parameters that select ratings. The parameter "Fields" is added if the response is JSON and
// depends on the requester. A form may also be sent as multipart/form-data. A schema with the
// member "properties" has the type "object". If a schema has no member "required", all its
// properties are required. A schema whose name ends with "Answer" includes the schema "Success".
[[nodiscard]] std::span<const std::string_view> documents();

}  // namespace openapi
