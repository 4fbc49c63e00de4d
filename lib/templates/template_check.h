#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/message.h"
#include "model/template.h"

namespace templates {

struct TemplateProblem {
  std::string_view field;
  std::string_view code;  // of WordPress: rest_invalid_pattern ...; a literal
  base::Message message;  // a sentence that says what is allowed
};

// The problems of a template that is to be stored; none if it is valid. Scopes its CSS
// (scope_css()). REQUIRES: UTF-8.
[[nodiscard]] std::vector<TemplateProblem> check_template(model::Template& widget_template);

// --- Its parts -----------------------------------------------------------------------------------

// The reason why "html" is not valid for a template of "category": a sentence; nothing if it is
// valid.
//
// It must parse without an error, and have one outermost element, which says what the widget is
// about (data-object-id="{{OBJECT_ID}}" and its kin); elements and attributes must be on a list
// that has no scripts, handlers, styles, addresses or ids; controls must be buttons or sliders with
// a data-value that the category has; and markers must stand where what they mean is safe and is
// kept up to date by ratingd-widget.js. Sections begin and end inside the same element, so all that
// can be made of the template is well-formed, too. templates/html_tags.h bounds what is parsed.
[[nodiscard]] std::optional<std::string> refuse_html(std::string_view html,
                                                     model::Category category);

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
