#pragma once

#include <string>
#include <string_view>

namespace wordpress {

// A text without HTML tags, comments, declarations and the content of scripts and styles, as
// WordPress removes them (formatting.php, wp_strip_all_tags, without its trim), but for tags inside
// of tags and PHP's own. What does not end takes the rest of the text with it. Takes quadratic
// time: for short texts only.
[[nodiscard]] std::string without_tags(std::string_view text);

inline constexpr std::size_t kMaxUserNameBytes = 400;  // 100 characters, the longest e-mail address

// A login name as WordPress looks it up (formatting.php, sanitize_user, not strict): without
// tags (without_tags()), %-sequences and HTML entities, blanks trimmed and collapsed. Accents are
// left to the collation of the column, which knows them, too. Takes quadratic time.
[[nodiscard]] std::string normalized_login(std::string_view name);

// Whether WordPress also looks for a user with this e-mail address (formatting.php, is_email).
[[nodiscard]] bool is_email(std::string_view text);

}  // namespace wordpress
