#pragma once

#include <optional>
#include <string>

#include "base/zone.h"
#include "db/connection.h"

namespace wordpress {

// A condition of SQL: whether the post "post" is public (WordPress: get_post_status(), "inherit"),
// checking at most its "parent". Otherwise false or NULL.
inline constexpr const char* kIsPublished =
    "(post.post_status = 'publish' OR post.post_type = 'attachment' AND "
    "post.post_status = 'inherit' AND COALESCE(parent.post_status, 'publish') = 'publish')";

// Reads of the CMS's tables. Errors of all functions: as db::Connection.

// The value of a WordPress option; nothing if there is none.
[[nodiscard]] std::optional<std::string> read_option(db::Connection& connection,
                                                     const std::string& name);

// The site's time zone (WordPress: wp_timezone_string()): the option timezone_string, else
// gmt_offset as a fixed offset; UTC if both are invalid.
[[nodiscard]] base::Zone time_zone_of_site(db::Connection& connection);

}  // namespace wordpress
