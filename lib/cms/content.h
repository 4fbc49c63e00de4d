#pragma once

#include <string>

namespace cms {

// What the CMS knows about an object.
struct ContentItem {
  std::string type;             // of the object in the CMS, or "comment"
  std::string title;            // for a comment: the title of what it comments on
  std::string link;             // empty if there is no page for it now
  bool is_published = false;    // everybody may see it, if its type is public
  std::string post_type = {};   // of a comment: that of what it comments on
  bool has_public_type = true;  // the CMS shows the type to everybody, as far as is known

  bool operator==(const ContentItem&) const = default;
};

}  // namespace cms
