#pragma once

#include "api/app.h"
#include "base/clock.h"
#include "base/workers.h"
#include "config/config.h"
#include "fcgi/worker.h"

namespace fcgi {

// What this process reports of itself to the processes of its host, for /metrics (base/workers.h).
//
// Used by one thread.
class Gauges {
 public:
  // Takes a place among the workers of the host; without a free one, that is logged, and the
  // process is not shown. All must outlive it.
  Gauges(base::Workers& workers, const Worker& worker, const api::App& app);

  // Sets those that never change.
  void set_constants(const config::Config& config, const base::Clock& clock);

  // Sets those that change.
  void update();

 private:
  base::Workers& workers_;
  const Worker& worker_;
  const api::App& app_;
};

}  // namespace fcgi
