#pragma once

#include <span>
#include <string_view>

namespace openapi {

// Returns the JSON files in this folder: common.json, with the parts that several resources share,
// and one file for each resource. The class Description joins their members "paths" and
// "components".
//
// The files contain only what cannot be derived from the routes or the settings. In common.json,
// "security" lists all ways to identify the requester. These rules also shorten the files:
// - A "description" may be a list of lines, in which an empty line separates paragraphs.
// - The member "x-paths" of a tag lists the first segments of its paths.
// - "x-answer" names the schema for a JSON response. "x-error" contains the codes and the status
//   for an error.
// - A string in "parameters" names a component. "Format" adds CSV to the response, and "Page" and
//   "PerPage" add the pagination headers. "Filters" stands for all parameters that select ratings.
//   "Fields" is added if the response is JSON and not the same for everybody.
// - A form may also be sent as multipart/form-data.
// - A schema with "properties" has the type "object". Without "required", it requires all
//   properties.
// - A schema whose name ends with "Answer" includes the schema "Success".
[[nodiscard]] std::span<const std::string_view> documents();

}  // namespace openapi
