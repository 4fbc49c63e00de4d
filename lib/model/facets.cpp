#include "model/facets.h"

#include <algorithm>
#include <cassert>

#include "base/text.h"

namespace model {
namespace {

constexpr std::size_t kMaxFacetName = 32;

}  // namespace

std::optional<std::string> parse_facet_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxFacetName) return std::nullopt;
  if (!base::consists_of_letters_digits_and(text, "_-")) return std::nullopt;
  return base::to_lower(text);
}

std::optional<std::string_view> facet_in(std::string_view object_type, const FacetNames& facets) {
  if (facets.empty()) return std::nullopt;
  const std::size_t colon = object_type.rfind(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = object_type.substr(colon + 1);
  if (std::ranges::find(facets, name) == facets.end()) return std::nullopt;
  return name;
}

Object parent_of(const Object& object, const FacetNames& facets) {
  const auto name = facet_in(object.type, facets);
  if (!name) return object;
  return {object.id, object.type.substr(0, object.type.size() - name->size() - 1)};
}

bool can_have(std::string_view object_type, const FacetNames& facets) {
  return std::ranges::all_of(facets, [&](const std::string& name) {
    return parse_object_type(std::string(object_type) + ":" + name).has_value();
  });
}

Object facet_of(const Object& parent, std::string_view name) {
  assert(can_have(parent.type, {std::string(name)}));
  return {parent.id, parent.type + ":" + std::string(name)};
}

}  // namespace model
