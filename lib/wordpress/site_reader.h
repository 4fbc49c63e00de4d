#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/zone.h"
#include "cms/cms.h"
#include "db/connection.h"

namespace wordpress {

// An SQL condition that is true if the post "post" is public. Like WordPress's get_post_status(),
// the condition uses the direct parent's status for posts with the "inherit" status. If the post is
// not public, the condition is false or NULL.
inline constexpr const char* kIsPublished =
    "(post.post_status = 'publish' OR post.post_type = 'attachment' AND "
    "post.post_status = 'inherit' AND COALESCE(parent.post_status, 'publish') = 'publish')";

// Returns the internal post types as a list for the SQL operator IN.
[[nodiscard]] std::string internal_types();

// Returns which requesters may know that posts of the type "type" exist. Returns
// TypeAccess::unclear for most post types added by plugins, because these types are registered only
// in PHP.
[[nodiscard]] cms::TypeAccess access_to_type(std::string_view type);

// Returns an SQL condition that is true if the text in "column" matches a pattern. The condition's
// only parameter is a LIKE pattern with the escape character '!'. The condition decodes HTML
// entities before the comparison. WordPress stores some characters as entities if the author lacks
// the unfiltered_html capability (wp_filter_kses(), kses.php). The comparison ignores case and
// accents, regardless of the table's collation.
[[nodiscard]] std::string has_words(const std::string& column);
// Returns a pattern for has_words() that matches texts containing "words".
[[nodiscard]] std::string pattern_of(std::string_view words);

// The following functions read the CMS's tables and throw the same exceptions as db::Connection.

// Returns whether any object whose type is in "types", or any facet of such an object, has been
// rated. "types" is a list of SQL literals.
[[nodiscard]] bool are_rated(db::Connection& connection, const std::string& types);

// Returns the value of a WordPress option, or nothing if the option does not exist.
[[nodiscard]] std::optional<std::string> read_option(db::Connection& connection,
                                                     const std::string& name);

// Returns the id of a post or page that everybody may see, or nothing if there is no such post or
// page.
[[nodiscard]] std::optional<std::uint64_t> first_published(db::Connection& connection);

// Returns the site's time zone (WordPress: wp_timezone_string()). The time zone is the value of the
// timezone_string option. If timezone_string is empty, the time zone has the fixed UTC offset in
// the gmt_offset option. Returns UTC if both options are invalid.
[[nodiscard]] base::Zone time_zone_of_site(db::Connection& connection);

}  // namespace wordpress
