#pragma once

#include "api/call.h"

namespace api {

// Both are for administrators, and answer with all settings and what is allowed in them.
Result read_settings(const App& app, const Call& call);    // GET /settings
Result change_settings(const App& app, const Call& call);  // POST /settings

}  // namespace api
