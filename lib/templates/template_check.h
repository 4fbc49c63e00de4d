#pragma once

#include <string_view>
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
// (templates/css.h). REQUIRES: UTF-8.
[[nodiscard]] std::vector<TemplateProblem> check_template(model::Template& widget_template);

}  // namespace templates
