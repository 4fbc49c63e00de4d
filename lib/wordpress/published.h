#pragma once

namespace wordpress {

// A condition of SQL: whether the post "post" is public (WordPress: get_post_status(), "inherit"),
// checking at most its "parent". Otherwise false or NULL.
inline constexpr const char* kIsPublished =
    "(post.post_status = 'publish' OR post.post_type = 'attachment' AND "
    "post.post_status = 'inherit' AND COALESCE(parent.post_status, 'publish') = 'publish')";

}  // namespace wordpress
