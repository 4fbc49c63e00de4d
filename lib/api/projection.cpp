#include "api/projection.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "json/codec.h"

namespace api {
namespace {

using Paths = std::vector<std::string_view>;

// The remainders of the paths that start with "name" and a dot.
Paths below(const Paths& paths, std::string_view name) {
  Paths rests;
  for (const std::string_view path : paths) {
    if (path.size() > name.size() && path.starts_with(name) && path[name.size()] == '.') {
      rests.push_back(path.substr(name.size() + 1));
    }
  }
  return rests;
}

void project(json::Value& value, const Paths& paths) {
  if (auto* array = std::get_if<json::Value::Array>(&value.data)) {
    for (json::Value& element : *array) project(element, paths);
    return;
  }
  auto* object = std::get_if<json::Value::Object>(&value.data);
  if (object == nullptr) return;
  std::erase_if(*object, [&](json::Member& member) {
    if (std::find(paths.begin(), paths.end(), member.first) != paths.end()) return false;
    const Paths rests = below(paths, member.first);
    project(member.second, rests);
    return rests.empty();
  });
}

}  // namespace

std::string project(const std::string& body, const std::vector<std::string>& fields) {
  auto value = json::parse(body);
  if (!value) return body;
  Paths paths(fields.begin(), fields.end());
  paths.push_back("success");
  project(*value, paths);
  std::string projected;
  json::Writer(projected).value(*value);
  return projected;
}

}  // namespace api
