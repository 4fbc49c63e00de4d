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

inline constexpr unsigned kMaxTags = 1000;      // the total number of start tags and end tags
inline constexpr unsigned kMaxAttributes = 32;  // for each element
inline constexpr unsigned kMaxDepth = 16;

// Returns nothing if "html" can be parsed safely. If "html" is rejected, returns a sentence that
// gives the reason.
//
// An HTML parser repeatedly reopens elements that were not closed, so 16 KB of HTML can expand to a
// gigabyte. The function refuse_tags() reads only tags, in linear time and with little memory. The
// function accepts only the elements in kElements and kShapes, up to the limits kMaxTags,
// kMaxAttributes and kMaxDepth. Each element must end before its parent element, but a <p> element
// needs no end tag. With the limits kMaxTags and kMaxDepth, an HTML parser reopens elements at most
// kMaxTags times, and at most kMaxDepth elements each time.
[[nodiscard]] std::optional<std::string> refuse_tags(std::string_view html);

}  // namespace templates
