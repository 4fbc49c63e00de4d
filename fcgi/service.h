#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "api/app.h"
#include "base/clock.h"
#include "config/config.h"
#include "db/pool.h"
#include "fcgi/refresher.h"
#include "identity/secrets.h"
#include "model/template.h"
#include "runtime/leadership.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/semaphore.h"
#include "runtime/shared_memory.h"

namespace fcgi {

// The resources that the sites in a process share.
struct SharedResources {
  static constexpr std::chrono::milliseconds kAnalyticsMaxWait{1500};

  // Opens the shared memory. "first" is the configuration of the first or only site. An analytics
  // request for a long period waits at most "analytics_max_wait" for running analytics requests to
  // end. A database session is opened when it is first used. The arguments must outlive this
  // object. Throws std::system_error if a file or a shared memory segment cannot be used.
  SharedResources(const config::Config& first, const base::Clock& used_clock,
                  const runtime::Log& used_log,
                  std::chrono::milliseconds analytics_max_wait = kAnalyticsMaxWait);

  const config::Config& config;
  const base::Clock& clock;
  const runtime::Log& log;
  const identity::SecretFile secrets;
  const runtime::SharedMemory metrics_memory, cache_memory, limits_memory, used_tickets_memory;
  // "sites_memory" is nullptr if the process serves only one site.
  const std::unique_ptr<const runtime::SharedMemory> sites_memory;
  runtime::Workers workers;  // the worker processes on this host, including this one
  DatabaseContact contact;
  runtime::Leadership leadership{};  // decides which thread waits for requests
  const db::Endpoint endpoint;
  db::Pool readers;  // for short reads
  db::Pool analysts;
  db::Pool refreshers;
  db::Pool writers;  // for votes
  runtime::Semaphore long_analyses;
  const std::vector<model::Template> builtin_templates;
  // The number of sites in a network whose services are loaded, not counting the first site.
  std::atomic<unsigned> loaded_sites = 0;
  // True once the list of sites has been read. Until the list has been read, requests for unknown
  // sites get 503 responses instead of 404 responses.
  std::atomic<bool> knows_sites;
  runtime::OnceAMinute refused_logins{};  // limits the log events about the database account
};

// The objects that answer the requests for a site, built from the site's configuration.
//
// The app() function is safe for concurrent use. The refresher() and list_refresher() functions
// must each be used by only one thread.
class Service {
 public:
  // Opens the site's part of the shared memory and starts its vote writer thread. "name" is the
  // site's name in the log, or empty if there is only one site. "shared" and "config" must outlive
  // this object. Throws config::Error or std::system_error if a file or a shared memory segment
  // cannot be used.
  Service(SharedResources& shared, const config::Config& config, const std::string& name = "");
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  [[nodiscard]] const api::App& app() const;

  [[nodiscard]] Refresher& refresher();

  [[nodiscard]] analytics::ListRefresher& list_refresher();

  // Records whether this program can use the site's tables.
  void set_tables(store::Tables tables);

 private:
  struct Objects;
  const std::unique_ptr<Objects> objects_;
};

}  // namespace fcgi
