#pragma once

#include <optional>
#include <string>

#include "api/call.h"
#include "model/settings.h"

namespace api {

// The template "slug", built-in or of the site; nothing if there is none.
[[nodiscard]] std::optional<model::Template> find_template(const App& app, const std::string& slug);

// The template that the settings select for "category"; if it was deleted or has another category
// now, the default of a new installation.
[[nodiscard]] model::Template default_template(const App& app, const model::Settings& settings,
                                               model::Category category);

[[nodiscard]] Error no_such_template();

}  // namespace api
