#pragma once

#include "api/call.h"

namespace api {

Result preview(const App& app, const Call& call);  // POST /preview: how a widget looks

}  // namespace api
