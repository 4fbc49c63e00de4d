#pragma once

#include "api/app.h"
#include "base/clock.h"
#include "base/workers.h"
#include "config/config.h"
#include "fcgi/worker.h"

namespace fcgi {

// Publishes this process's gauges to the processes of its host, for /metrics (base/workers.h).
//
// Used by one thread.
class Gauges {
 public:
  // Takes a worker slot of the host. If none is free, this is logged and the process does not
  // appear in /metrics. All arguments must outlive this object.
  Gauges(base::Workers& workers, const Worker& worker, const api::App& app);

  // Sets the gauges that never change.
  void set_constants(const config::Config& config, const base::Clock& clock);

  // Sets the gauges that change.
  void update();

 private:
  base::Workers& workers_;
  const Worker& worker_;
  const api::App& app_;
};

}  // namespace fcgi
