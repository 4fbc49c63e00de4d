#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/rating.h"

namespace model {

// DESIGN. A facet is an aspect of an object that voters rate separately, such as the criterion
// "taste" or the reaction "love". A facet is itself an object and has the same id as the object to
// which it belongs. If the "facets" setting contains "taste", the "taste" facet of a "post" has the
// type "post:taste". Therefore, tables, rules, reports and exports treat facets like all other
// objects. To look up a facet's object in the CMS, ratingd uses only the part of the type before
// the colon. If a type contains a colon but does not end with the name of a facet, the colon has no
// special meaning.

// The names of the site's facets, in the format of the "facets" setting.
using FacetNames = std::vector<std::string>;

inline constexpr std::size_t kMaxFacets = 20;

// Parses a facet's name, which has 1 to 32 characters from [A-Za-z0-9_-]. Returns the facet's name
// in lower case.
[[nodiscard]] std::optional<std::string> parse_facet_name(std::string_view text);

// If "object_type" is the type of a facet, returns the facet's name. Otherwise, returns nothing.
[[nodiscard]] std::optional<std::string_view> facet_in(std::string_view object_type,
                                                       const FacetNames& facets);

[[nodiscard]] inline bool is_facet(std::string_view object_type, const FacetNames& facets) {
  return facet_in(object_type, facets).has_value();
}

// Returns the object to which the facet "object" belongs. If "object" is not a facet, returns
// "object".
[[nodiscard]] Object parent_of(const Object& object, const FacetNames& facets);

// Returns whether objects of type "object_type" can have all facets in "facets". Returns false if
// the resulting type of a facet, such as "post:taste", would be too long.
[[nodiscard]] bool can_have(std::string_view object_type, const FacetNames& facets);

// Returns the facet "name" of the object "parent". The type of "parent" must allow this facet
// (can_have()).
[[nodiscard]] Object facet_of(const Object& parent, std::string_view name);

}  // namespace model
