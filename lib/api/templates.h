#pragma once

#include <optional>
#include <string>

#include "api/call.h"
#include "model/settings.h"

namespace api {

Result list_templates(const App& app, const Call& call);   // GET /templates
Result read_template(const App& app, const Call& call);    // GET /templates/{namespace}/{name}
Result put_template(const App& app, const Call& call);     // POST /templates
Result delete_template(const App& app, const Call& call);  // DELETE /templates/{namespace}/{name}

// The template called "slug", the program's own or the site's; nothing if there is none.
[[nodiscard]] std::optional<model::Template> find_template(const App& app, const std::string& slug);

// The template that the settings name for "category"; the one of a new installation when that has
// been deleted or is of another category now.
[[nodiscard]] model::Template default_template(const App& app, const model::Settings& settings,
                                               model::Category category);

[[nodiscard]] Error no_such_template();

}  // namespace api
