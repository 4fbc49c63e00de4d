#pragma once

#include <string>
#include <string_view>

namespace wordpress {

// A text without HTML tags, comments and the content of scripts and styles, as WordPress removes
// them (formatting.php, wp_strip_all_tags, without its trim; PHP's strip_tags). A tag or a comment
// that does not end takes the rest of the text with it.
//
// Takes quadratic time: for short texts only.
[[nodiscard]] std::string without_tags(std::string_view text);

}  // namespace wordpress
