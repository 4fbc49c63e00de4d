#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/rating.h"

namespace templates {

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

}  // namespace templates
