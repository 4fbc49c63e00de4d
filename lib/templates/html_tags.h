#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace templates {

// The allowed elements in a template.
inline constexpr std::array<std::string_view, 13> kElements = {
    "div", "span",   "p",     "strong", "small", "em", "b",
    "i",   "output", "meter", "button", "input", "svg"};
// The allowed elements inside svg.
inline constexpr std::array<std::string_view, 3> kShapes = {"g", "path", "circle"};

inline constexpr unsigned kMaxTags = 1000;      // start tags and end tags together
inline constexpr unsigned kMaxAttributes = 32;  // for each element
inline constexpr unsigned kMaxDepth = 16;

// Returns a sentence that says why "html" must not be parsed, or nothing if it can be parsed
// safely.
//
// An HTML parser repeatedly reopens elements that were not closed, so 16 KB of text can become a
// gigabyte. This function reads only the tags, in linear time and with little memory. It accepts
// elements in the lists above, within the limits above. Each element must end before the element
// around it ends, but a <p> needs no end tag. So the parser reopens at most kMaxDepth elements, at
// most kMaxTags times.
[[nodiscard]] std::optional<std::string> refuse_tags(std::string_view html);

}  // namespace templates
