#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/facets.h"
#include "model/object_set.h"
#include "model/settings.h"

namespace cms {

// Who may know that objects of a type exist, as far as the CMS's tables show. A type from an
// extension is "unclear" because only the CMS's own program knows it.
enum class TypeAccess { internal, unclear, everybody };

// The state of an object in the CMS before it is rated.
struct ObjectState {
  std::string type = {};  // in the CMS, in lower case; empty if the CMS has no such object
  // The strictest value of the setting object_check with which the object may be rated. The earlier
  // values allow it, too. "known" means that the CMS has the object, and "published" that everybody
  // may see it.
  model::ObjectCheck passed_check = model::ObjectCheck::off;
  TypeAccess type_access = TypeAccess::unclear;

  bool operator==(const ObjectState&) const = default;
};

// Returns the CMS's type that "object_type" means in filters and in the setting
// enabled_object_types. "book" and "post:book" both mean "book", but "post:book" only selects
// objects that were rated as "post". So "post:post" means posts whose own type is "post", whereas
// "post" alone means posts of every type.
[[nodiscard]] constexpr std::string_view own_type(std::string_view object_type) {
  constexpr std::string_view kOnlyPosts = "post:";
  if (object_type.starts_with(kOnlyPosts)) object_type.remove_prefix(kOnlyPosts.size());
  return object_type;
}

// Returns whether one of "object_types" means the CMS's type "type".
[[nodiscard]] inline bool names_own_type(const std::vector<std::string>& object_types,
                                         std::string_view type) {
  return std::any_of(object_types.begin(), object_types.end(),
                     [&](const std::string& one) { return own_type(one) == type; });
}

// A description of an object from the CMS.
struct ContentItem {
  std::string type;           // the type in the CMS, or "comment", "term", "author"
  std::string title;          // for a comment: its start and the title of its post
  std::string link;           // empty if the object has no page now
  bool is_published = false;  // everybody may see the object if its type is public
  // The taxonomy of a term, or the type of the object to which a comment belongs.
  std::string post_type = {};
  TypeAccess type_access = TypeAccess::everybody;
  bool has_password = false;  // the CMS shows it only to people who know its password

  bool operator==(const ContentItem&) const = default;
};

// A rating that the CMS's plugin shows on all content of a type.
struct PlacedRating {
  std::string type;
  bool is_post = true;                  // a post type, whose posts are rated as "post"
  std::string group;                    // "criteria", "reactions" or empty
  std::vector<std::string> names = {};  // names in the group
  std::string template_slug = {};       // if empty, the template in the settings

  bool operator==(const PlacedRating&) const = default;
};

// The rated objects that lists omit, with their facets.
struct OmittedObjects {
  // Objects of internal types, such as menus and templates. They are not content, so the lists for
  // editors omit them, too.
  model::ObjectSet internal;
  model::ObjectSet for_everybody;  // the internal objects and all objects that are not published

  bool operator==(const OmittedObjects&) const = default;
};

// Selects rated objects by their titles in the CMS.
struct TitleSearch {
  std::string words;  // part of the title; the case does not matter
  // Only objects of this type. Either the rated type or the type in the CMS must match.
  std::optional<std::string> object_type = {};
  // Only published objects of a public type, without a password.
  bool is_for_everybody = true;
  // Types that are public in addition to the types that the CMS shows to everybody.
  std::vector<std::string> further_public_types = {};
  // The site's facets. A facet is found only if "object_type" is the facet's own type.
  model::FacetNames facets = {};
  std::size_t limit = 0;  // the maximum number of objects
  std::chrono::milliseconds time_limit{0};
};

struct TitleMatches {
  model::ObjectSet objects;    // the newest matching objects
  bool exceeds_limit = false;  // more objects match
  bool exceeds_time = false;   // the time was over before older objects were searched
};

}  // namespace cms
