#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace templates {

// The allowed elements of a template.
inline constexpr std::array<std::string_view, 13> kElements = {
    "div", "span",   "p",     "strong", "small", "em", "b",
    "i",   "output", "meter", "button", "input", "svg"};
// Inside of svg.
inline constexpr std::array<std::string_view, 3> kShapes = {"g", "path", "circle"};

inline constexpr unsigned kMaxTags = 1000;      // start tags and end tags
inline constexpr unsigned kMaxAttributes = 32;  // per element
inline constexpr unsigned kMaxDepth = 16;

// The reason why "html" must not be parsed: a sentence; nothing if it may.
//
// An HTML parser repeats elements that are still open wherever the text goes on without them, and
// so makes a gigabyte of 16 KB. This reads the tags alone, in linear time, with no memory to speak
// of. What it lets pass has elements that are listed above, within the limits above, each of which
// ends before the one around it; a <p> may end without an end tag. So the parser has at most
// kMaxDepth elements to repeat, at most kMaxTags times.
[[nodiscard]] std::optional<std::string> refuse_tags(std::string_view html);

}  // namespace templates
