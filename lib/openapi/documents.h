#pragma once

#include <span>
#include <string_view>

namespace openapi {

// Returns the JSON files of this folder: common.json, which has what several resources share, and
// one file for each resource. Description joins their members "paths" and "components".
//
// The files have what follows neither from the routes nor from the settings. "security" names all
// ways to be identified. The files leave out what follows from these rules:
// - a "description" may be a list of lines, in which an empty line separates paragraphs;
// - a tag has the first segments of its paths in "x-paths";
// - "x-answer" is the schema of a JSON response, "x-error" the codes and the status of an error;
// - strings in "parameters" name components. "Format" adds CSV to the response, "Page" and
//   "PerPage" add the headers of pages. "Filters" are all parameters that select ratings. "Fields"
//   is added where the response is JSON and not the same for everybody;
// - a form may also be multipart/form-data;
// - a schema with "properties" is of type "object" and, without "required", requires all of them;
// - schemas whose name ends with "Answer" include "Success".
[[nodiscard]] std::span<const std::string_view> documents();

}  // namespace openapi
