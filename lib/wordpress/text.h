#pragma once

#include <string>
#include <string_view>

namespace wordpress {

// Returns "text" without HTML tags, comments, declarations, scripts and styles. Except for nested
// tags and PHP tags, the result is the same as the result of WordPress's wp_strip_all_tags() before
// trimming (formatting.php). Unclosed markup extends to the end of the text. Takes quadratic time,
// so use this function only for short texts.
[[nodiscard]] std::string without_tags(std::string_view text);

// In WordPress, an e-mail address has at most 100 characters of at most 4 bytes each.
inline constexpr std::size_t kMaxUserNameBytes = 400;

// Normalizes a login name as WordPress does before looking up a user (formatting.php,
// sanitize_user, not strict). Removes tags (without_tags()), percent-encoded characters and HTML
// entities. Trims the name and collapses runs of blanks. Accents are not removed, because the
// comparison in the database ignores accents. Takes quadratic time.
[[nodiscard]] std::string normalized_login(std::string_view name);

// Returns whether "text" is an e-mail address according to WordPress's is_email() (formatting.php).
[[nodiscard]] bool is_email(std::string_view text);

}  // namespace wordpress
