#include "api/projection.h"

#include <map>
#include <string_view>
#include <variant>

#include "base/parse.h"
#include "json/codec.h"

namespace api {
namespace {

// The members of an object to keep, by name. Paths that begin alike share nodes, so each member of
// the body is looked up once, however many paths there are.
struct Node {
  bool is_whole = false;  // the member is kept with everything in it
  std::map<std::string_view, Node, std::less<>> members = {};
};

void add(Node& root, std::string_view path) {
  Node* node = &root;
  // No body is deeper.
  for (std::size_t depth = 0; !path.empty() && depth < json::kMaxDepth; ++depth) {
    node = &node->members[base::take_until(path, '.')];
  }
  node->is_whole = true;
}

void project_value(json::Value& value, const Node& node) {
  if (auto* array = std::get_if<json::Value::Array>(&value.data)) {
    for (json::Value& element : *array) project_value(element, node);
    return;
  }
  auto* object = std::get_if<json::Value::Object>(&value.data);
  if (object == nullptr) return;
  std::erase_if(*object, [&](json::Member& member) {
    const auto found = node.members.find(member.first);
    if (found == node.members.end()) return true;
    if (!found->second.is_whole) project_value(member.second, found->second);
    return false;
  });
}

}  // namespace

std::string project(const std::string& body, const std::set<std::string>& fields) {
  auto value = json::parse(body);
  if (!value) return body;
  Node root;
  add(root, "success");
  for (const std::string& field : fields) add(root, field);
  project_value(*value, root);
  std::string projected;
  json::Writer(projected).value(*value);
  return projected;
}

}  // namespace api
