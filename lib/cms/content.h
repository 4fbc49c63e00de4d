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

// Who may know that objects of a type exist, as far as the CMS's tables tell. Only a CMS's own
// program knows the types of its extensions: these are "unclear".
enum class TypeAccess { internal, unclear, everybody };

// What the CMS says of an object that is to be rated.
struct ObjectState {
  std::string type = {};  // of the object in the CMS, in lower case; empty: it does not have it
  // The values of the setting object_check that let it be rated: this one and those before it.
  // known: the CMS has it. published: everybody may see it.
  model::ObjectCheck passed_check = model::ObjectCheck::off;
  TypeAccess type_access = TypeAccess::unclear;

  bool operator==(const ObjectState&) const = default;
};

// The type of the CMS that "object_type" names in filters and in the setting enabled_object_types:
// "book" of "book", and of "post:book", which means only what is rated as "post". So "post:post" is
// for posts whose own type is "post"; "post" alone means posts of every type.
[[nodiscard]] constexpr std::string_view own_type(std::string_view object_type) {
  constexpr std::string_view kOnlyPosts = "post:";
  if (object_type.starts_with(kOnlyPosts)) object_type.remove_prefix(kOnlyPosts.size());
  return object_type;
}

// Whether one of the types names this type of the CMS.
[[nodiscard]] inline bool names_own_type(const std::vector<std::string>& object_types,
                                         std::string_view type) {
  return std::any_of(object_types.begin(), object_types.end(),
                     [&](const std::string& one) { return own_type(one) == type; });
}

// What the CMS knows about an object.
struct ContentItem {
  std::string type;            // of the object in the CMS, or "comment", "term", "author"
  std::string title;           // for a comment: its start, and the title of what it comments on
  std::string link;            // empty if there is no page for it now
  bool is_published = false;   // everybody may see it, if its type is public
  std::string post_type = {};  // of a comment: that of what it comments on; of a term: taxonomy
  TypeAccess type_access = TypeAccess::everybody;
  bool has_password = false;  // the CMS shows it to those who know its password

  bool operator==(const ContentItem&) const = default;
};

// A rating that the CMS's own program shows on all content of a type.
struct PlacedRating {
  std::string type;
  bool is_post = true;                  // a type of posts, which are rated as "post"
  std::string group;                    // "criteria", "reactions", or empty
  std::vector<std::string> names = {};  // of the group
  std::string template_slug = {};       // empty: the template of the settings

  bool operator==(const PlacedRating&) const = default;
};

// The rated objects that lists omit, and their facets.
struct OmittedObjects {
  // Objects of internal types, such as menus and templates. They are nobody's content, so the lists
  // of editors omit them, too.
  model::ObjectSet internal;
  model::ObjectSet for_everybody;  // the internal objects and all that are not published

  bool operator==(const OmittedObjects&) const = default;
};

// Selects rated objects by the titles that they have in the CMS.
struct TitleSearch {
  std::string words;  // part of the title, in whatever case
  // Only rated objects of this type, as they were rated or as the CMS has them.
  std::optional<std::string> object_type = {};
  // Only published objects of a public type, without a password.
  bool is_for_everybody = true;
  // Types that are public besides those that the CMS shows to everybody.
  std::vector<std::string> further_public_types = {};
  model::FacetNames facets = {};  // found if "object_type" is theirs
  std::size_t limit = 0;          // of the objects
  std::chrono::milliseconds time_limit{0};
};

struct TitleMatches {
  model::ObjectSet objects;    // the newest
  bool exceeds_limit = false;  // there are more
  bool exceeds_time = false;   // older objects were not searched
};

}  // namespace cms
