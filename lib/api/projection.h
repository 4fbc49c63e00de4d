#pragma once

#include <string>
#include <vector>

namespace api {

// Applies WordPress's parameter _fields to a JSON object: keeps the members named in "fields", in
// which dots select members of objects ("stats.binary.total") and of all objects of an array
// ("data.object_id"). "success" is always kept. Other JSON values are returned unchanged.
[[nodiscard]] std::string project(const std::string& body, const std::vector<std::string>& fields);

}  // namespace api
