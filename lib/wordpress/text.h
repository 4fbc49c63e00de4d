#pragma once

#include <string>
#include <string_view>

namespace wordpress {

// Returns "text" without HTML tags, comments, declarations, scripts and styles. The result is the
// same as in WordPress (formatting.php, wp_strip_all_tags without the trimming), except for nested
// tags and PHP tags. Markup that is not closed extends to the end of the text. Takes quadratic
// time, so use this function only for short texts.
[[nodiscard]] std::string without_tags(std::string_view text);

// In WordPress, an e-mail address has at most 100 characters of at most 4 bytes each.
inline constexpr std::size_t kMaxUserNameBytes = 400;

// Returns a login name in the form in which WordPress looks up the name (formatting.php,
// sanitize_user, not strict). Removes tags (without_tags()), percent-encoded characters and HTML
// entities. Trims blanks, and replaces consecutive blanks with one blank. Accents are not removed,
// because the comparison in the database ignores accents. Takes quadratic time.
[[nodiscard]] std::string normalized_login(std::string_view name);

// Returns whether WordPress treats "text" as an e-mail address, so that it also looks for a user
// with this e-mail address (formatting.php, is_email).
[[nodiscard]] bool is_email(std::string_view text);

}  // namespace wordpress
