#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace templates {

// Checks a template's CSS and scopes each of its rules to the widgets of the template "slug", so
// that it styles nothing else on the page and loads nothing: ".x" becomes "[data-template="slug"]
// .x". A widget can still be drawn over adjacent content. "&" means the widget's outermost element,
// as in CSS nesting, and so does [data-template="..."] with any slug: the result can be checked
// again, also with another slug. Comments are dropped.
//
// Allowed are style rules, @media, @supports and @container, and functions of a list without url().
// Backslashes, "<", nested style rules and position: fixed are refused.
//
// Errors: a sentence that says what is not allowed.
[[nodiscard]] tl::expected<std::string, std::string> scope_css(std::string_view css,
                                                               std::string_view slug);

}  // namespace templates
