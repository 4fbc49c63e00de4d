#pragma once

#include <string>
#include <string_view>

namespace api {

// What WordPress's parameter _fields leaves of a JSON object: the members named in "fields", a list
// with commas in which dots go into objects ("stats.binary.total") and into all objects of an array
// ("data.object_id"). "success" always stays. What is not an object is returned as it is.
[[nodiscard]] std::string project(const std::string& body, std::string_view fields);

}  // namespace api
