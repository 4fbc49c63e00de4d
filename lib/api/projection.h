#pragma once

#include <string>
#include <vector>

namespace api {

// What WordPress's parameter _fields leaves of a JSON object: the members named in "fields",
// in which dots go into objects ("stats.binary.total") and into all objects of an array
// ("data.object_id"). "success" always stays. What is not an object is returned as it is.
[[nodiscard]] std::string project(const std::string& body, const std::vector<std::string>& fields);

}  // namespace api
