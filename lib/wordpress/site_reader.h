#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/zone.h"
#include "cms/content.h"
#include "db/connection.h"

namespace wordpress {

// A condition of SQL: whether the post "post" is public (WordPress: get_post_status(), "inherit"),
// checking at most its "parent". Otherwise false or NULL.
inline constexpr const char* kIsPublished =
    "(post.post_status = 'publish' OR post.post_type = 'attachment' AND "
    "post.post_status = 'inherit' AND COALESCE(parent.post_status, 'publish') = 'publish')";

// SQL: the types of posts that are internal, as a list for IN.
[[nodiscard]] std::string internal_types();

// Returns who may know of posts of "type". Only PHP knows the types of most plugins.
[[nodiscard]] cms::TypeAccess access_to_type(std::string_view type);

// SQL: whether a text that the CMS keeps in "column" contains the words of a pattern for LIKE ...
// ESCAPE '!', a parameter. The text is as people read it: WordPress stores what users without the
// right unfiltered_html write with entities (wp_filter_kses(), kses.php), and what others write as
// it is. Few texts have one. The collation ignores case and accents, whatever the table's own is.
[[nodiscard]] std::string has_words(const std::string& column);
// Returns the pattern that has_words() needs to find texts that contain "words".
[[nodiscard]] std::string pattern_of(std::string_view words);

// Reads of the CMS's tables. Errors of all functions: as db::Connection.

// Whether objects of a type in the list, literals of SQL, or their facets are rated.
[[nodiscard]] bool are_rated(db::Connection& connection, const std::string& types);

// The value of a WordPress option; nothing if there is none.
[[nodiscard]] std::optional<std::string> read_option(db::Connection& connection,
                                                     const std::string& name);

// A post or page that everybody may see; nothing if there is none.
[[nodiscard]] std::optional<std::uint64_t> first_published(db::Connection& connection);

// The site's time zone (WordPress: wp_timezone_string()): the option timezone_string, else
// gmt_offset as a fixed offset; UTC if both are invalid.
[[nodiscard]] base::Zone time_zone_of_site(db::Connection& connection);

}  // namespace wordpress
