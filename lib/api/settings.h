#pragma once

#include "api/call.h"

namespace api {

// For administrators only. Both return all settings and their allowed values.
Result read_settings(const App& app, const Call& call);    // GET /settings
Result change_settings(const App& app, const Call& call);  // POST /settings

}  // namespace api
