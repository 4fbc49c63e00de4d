#pragma once

#include "api/call.h"

namespace api {

Result export_data(const App& app, const Call& call);  // GET /data/export
Result import_data(const App& app, const Call& call);  // POST /data/import
Result clean_data(const App& app, const Call& call);   // POST /data/clean

}  // namespace api
