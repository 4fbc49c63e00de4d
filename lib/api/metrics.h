#pragma once

#include "api/call.h"

namespace api {

// GET /metrics: what all workers of this host have counted, for Prometheus (text format 0.0.4,
// https://prometheus.io/docs/instrumenting/exposition_formats/). docs/monitoring.md says what each
// number means.
Result metrics(const App& app, const Call& call);

}  // namespace api
