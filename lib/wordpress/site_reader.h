#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/zone.h"
#include "cms/cms.h"
#include "db/connection.h"

namespace wordpress {

// An SQL condition that is true if the post "post" is public. In WordPress's get_post_status(),
// "inherit" means the parent's status. Only one parent is checked. If the post is not public, the
// condition is false or NULL.
inline constexpr const char* kIsPublished =
    "(post.post_status = 'publish' OR post.post_type = 'attachment' AND "
    "post.post_status = 'inherit' AND COALESCE(parent.post_status, 'publish') = 'publish')";

// Returns the internal post types as an SQL list for IN.
[[nodiscard]] std::string internal_types();

// Returns who may know that posts of "type" exist. Only PHP knows the types that most plugins add.
[[nodiscard]] cms::TypeAccess access_to_type(std::string_view type);

// Returns an SQL condition that is true if the text in "column" contains certain words. The
// condition has a parameter: a pattern for LIKE ... ESCAPE '!'. The search covers the text as
// people read it. WordPress stores text from users who lack the capability unfiltered_html with
// entities (wp_filter_kses(), kses.php), and text from other users unchanged. Few texts contain an
// entity. The comparison ignores case and accents, regardless of the table's collation.
[[nodiscard]] std::string has_words(const std::string& column);
// Returns the pattern that has_words() needs to find texts that contain "words".
[[nodiscard]] std::string pattern_of(std::string_view words);

// These functions read the CMS's tables. Errors (all functions): same as db::Connection.

// Returns whether objects with the types in "types", or their facets, have been rated. "types" is a
// list of SQL literals.
[[nodiscard]] bool are_rated(db::Connection& connection, const std::string& types);

// Returns a WordPress option's value, or nothing if the option does not exist.
[[nodiscard]] std::optional<std::string> read_option(db::Connection& connection,
                                                     const std::string& name);

// Returns a post or page that everybody may see, or nothing if no such post exists.
[[nodiscard]] std::optional<std::uint64_t> first_published(db::Connection& connection);

// Returns the site's time zone (WordPress: wp_timezone_string()). The time zone is the option
// timezone_string or, if that is empty, the option gmt_offset as a fixed offset. Returns UTC if
// both are invalid.
[[nodiscard]] base::Zone time_zone_of_site(db::Connection& connection);

}  // namespace wordpress
