#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/zone.h"
#include "cms/content.h"
#include "db/connection.h"
#include "model/rating.h"

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

// Whether a post of any type or status has this id.
[[nodiscard]] bool has_post(db::Connection& connection, std::uint64_t id);

// The state of "object". known: it is not in the trash; revisions and automatic drafts are not had.
// published: everybody may see it; an attachment like the post it belongs to, if any, a comment if
// it is approved and its post is published. The type "post" stands for posts of every type, since
// themes say it of pages too, "comment" for comments, any other for that type of post.
[[nodiscard]] cms::ObjectState state_of_object(db::Connection& connection,
                                               const model::Object& object);

// As cms::Cms::ids_of_type(): the posts of a type, by WordPress's index type_status_date.
[[nodiscard]] std::optional<std::string> ids_of_type(db::Connection& connection,
                                                     const std::string& type);

}  // namespace wordpress
