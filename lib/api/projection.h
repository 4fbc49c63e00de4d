#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace api {

// The most names that _fields may have.
inline constexpr std::size_t kMaxFieldNames = 100;

// Applies WordPress's parameter _fields to a JSON object: keeps the members named in "fields", in
// which dots select members of objects ("stats.binary.total") and of all objects of an array
// ("data.object_id"). "success" is always kept. Other JSON values are returned unchanged. Takes
// time in proportion to "body", and to "fields".
[[nodiscard]] std::string project(const std::string& body, const std::set<std::string>& fields);

}  // namespace api
