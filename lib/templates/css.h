#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace templates {

// Checks a template's CSS, and brings each of its rules under the widgets of the template "slug",
// so that it styles nothing else on the page and loads nothing: ".x" becomes
// "[data-template="slug"] .x". A widget may still be drawn over its neighbours. "&" stands for the
// widget's outermost element, as in CSS nesting, and so does [data-template="..."] with any slug:
// what is returned may be sent again, under another slug too. Comments are dropped.
//
// There are style rules, @media, @supports and @container, and functions from a list that has no
// url(). Backslashes, "<", nested style rules and position: fixed are refused.
//
// Errors: a sentence that says what is not allowed.
[[nodiscard]] tl::expected<std::string, std::string> scope_css(std::string_view css,
                                                               std::string_view slug);

}  // namespace templates
