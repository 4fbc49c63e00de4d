#pragma once

#include <chrono>
#include <memory>

#include "api/app.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/workers.h"
#include "config/config.h"
#include "db/endpoint.h"
#include "fcgi/refresher.h"

namespace fcgi {

// Everything that is needed to answer requests, built from the configuration.
//
// app() is safe for concurrent use; refresher() is used by one thread.
class Service {
 public:
  static constexpr std::chrono::milliseconds kAnalyticsMaxWait{1500};

  // Opens the host's shared memory and starts the vote writer's thread. Database sessions are
  // opened on first use. A list of a long period waits "analytics_max_wait" for others. All
  // arguments must outlive this object. Errors: config::Error, std::system_error - a file or a
  // shared memory segment cannot be used.
  Service(const config::Config& config, const base::Clock& clock, const base::Log& log,
          std::chrono::milliseconds analytics_max_wait = kAnalyticsMaxWait);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  [[nodiscard]] const api::App& app() const;

  [[nodiscard]] Refresher& refresher();

  [[nodiscard]] const db::Endpoint& endpoint() const;

  // The worker processes of this host, including this one.
  [[nodiscard]] base::Workers& workers();

 private:
  struct Objects;
  const std::unique_ptr<Objects> objects_;
};

}  // namespace fcgi
