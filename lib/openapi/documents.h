#pragma once

#include <span>
#include <string_view>

namespace openapi {

// Returns the contents of the JSON files in lib/openapi. The file common.json contains the parts
// that several resources share, and each resource has its own file. The Description class merges
// the "paths" and "components" members of all files.
//
// The files contain only information that cannot be derived from the routes or the settings. In
// common.json, "security" lists all ways in which a request can identify its sender.
//
// The JSON files use the following abbreviations. A "description" member may be a list of lines, in
// which an empty line separates two paragraphs. The "x-paths" member of a tag lists the first path
// segments of the tag's routes. The "x-answer" member names the schema of a JSON response. The
// "x-error" member contains the error codes and the HTTP status of an error response. A string in
// the "parameters" list refers to the component of the same name. If a route has the "Format"
// parameter, its response may also be CSV. If a route has the "Page" and "PerPage" parameters, its
// response has pagination headers. The name "Filters" in the "parameters" list represents all
// parameters that select ratings. The "Fields" parameter is added to routes whose response is JSON
// and depends on the requester. Every form may also be sent as multipart/form-data. A schema with a
// "properties" member has the type "object". If a schema has no "required" member, all its
// properties are required. A schema whose name ends with "Answer" includes the "Success" schema.
[[nodiscard]] std::span<const std::string_view> documents();

}  // namespace openapi
