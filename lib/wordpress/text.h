#pragma once

#include <string>
#include <string_view>

namespace wordpress {

// Returns "text" without HTML tags, comments, declarations, scripts and styles. Does the same as
// WordPress (formatting.php, wp_strip_all_tags without its trim), except for tags inside of tags
// and PHP tags. Markup that is not closed extends to the end of the text. Takes quadratic time, so
// use this function only for short texts.
[[nodiscard]] std::string without_tags(std::string_view text);

// 100 characters, the maximum length of an e-mail address in WordPress.
inline constexpr std::size_t kMaxUserNameBytes = 400;

// Returns a login name in the form in which WordPress looks it up (formatting.php, sanitize_user,
// not strict). Tags (without_tags()), %-sequences and HTML entities are removed, and blanks are
// trimmed and collapsed. Accents stay because the column's collation ignores them, too. Takes
// quadratic time.
[[nodiscard]] std::string normalized_login(std::string_view name);

// Returns whether WordPress treats "text" as an e-mail address and also looks for a user with this
// address (formatting.php, is_email).
[[nodiscard]] bool is_email(std::string_view text);

}  // namespace wordpress
