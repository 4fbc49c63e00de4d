#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/rating.h"

namespace model {

// DESIGN. A facet is a part of an object that is rated by itself, such as the criterion "taste" or
// the reaction "love". It is an object of the same id: the facet "taste" of a "post" has the type
// "post:taste", if the setting "facets" names "taste". So tables, rules, reports and exports treat
// facets as they treat all objects. Of the CMS, only the type before the colon is asked. Other
// types with a colon are types like all others.

// The names of the site's facets, as the setting has them.
using FacetNames = std::vector<std::string>;

inline constexpr std::size_t kMaxFacets = 20;

// Parses the name of a facet, in any case: 1-32 of [a-z0-9_-].
[[nodiscard]] std::optional<std::string> parse_facet_name(std::string_view text);

// The name of the facet that "object_type" is; nothing if it is not one.
[[nodiscard]] std::optional<std::string_view> facet_in(std::string_view object_type,
                                                       const FacetNames& facets);

[[nodiscard]] inline bool is_facet(std::string_view object_type, const FacetNames& facets) {
  return facet_in(object_type, facets).has_value();
}

// The object whose facet "object" is; "object" itself if it is no facet.
[[nodiscard]] Object parent_of(const Object& object, const FacetNames& facets);

// Whether an object of this type can have these facets: their types must not be too long.
[[nodiscard]] bool can_have(std::string_view object_type, const FacetNames& facets);

// A facet of "parent". REQUIRES: can_have() it.
[[nodiscard]] Object facet_of(const Object& parent, std::string_view name);

}  // namespace model
