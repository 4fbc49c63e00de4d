#pragma once

#include "api/call.h"

namespace api {

// GET /metrics: the metrics of all workers of this host, for Prometheus (text format 0.0.4,
// https://prometheus.io/docs/instrumenting/exposition_formats/). docs/monitoring.md describes each
// metric.
Result metrics(const App& app, const Call& call);

}  // namespace api
