#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "analytics/unpublished_objects.h"
#include "base/address.h"
#include "checks/checks.h"
#include "cms/cms.h"
#include "cms/published_objects.h"
#include "db/lease.h"
#include "db/pool.h"
#include "identity/requester.h"
#include "identity/secrets.h"
#include "limit/limiter.h"
#include "model/template.h"
#include "rollups/stats_store.h"
#include "runtime/leadership.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/semaphore.h"
#include "store/site.h"
#include "votes/held_store.h"
#include "votes/own_ratings_cache.h"
#include "votes/rating_loader.h"
#include "votes/vote_writer.h"

namespace openapi {
class Description;
}

namespace api {

class AnswerCache;
struct Route;

// The services that handlers use. The program's main function creates all of them. They outlive
// every request and are safe for concurrent use.
struct App {
  const std::span<const Route> routes;
  const openapi::Description& description;  // describes "routes"
  const std::string& base_path;
  // Whether all sites on the host are known. Until they are, a request for an unknown site gets a
  // 503 response instead of 404.
  const std::atomic<bool>& knows_sites;
  const std::string& users_table;  // the CMS's table of users
  const identity::KeyRing& keys;
  limit::Limiter& limiter;
  identity::Authenticator& authenticator;
  const runtime::Log& log;
  const bool logs_requests;
  runtime::Leadership& leadership;  // decides which thread waits for requests
  runtime::Metrics& metrics;        // its series come from request_series()
  const runtime::Workers& workers;  // the workers on this host
  const unsigned configured_workers;
  const std::vector<base::Network>& metrics_networks;
  checks::HealthChecks& health_checks;
  const store::Site& site;
  db::Pool& sessions;
  votes::VoteWriter& vote_writer;
  votes::RatingLoader& own_ratings;
  votes::OwnRatingsCache& own_ratings_cache;
  const rollups::StatsStore& stats;
  const cms::Cms& cms;
  cms::PublishedObjects& published_objects;
  const votes::HeldStore& held;
  const analytics::UnpublishedObjects& unpublished;
  db::Pool& analytics_sessions;       // for analytics, which may take longer
  runtime::Semaphore& long_analyses;  // limits concurrent scans of the rows per object and day
  AnswerCache& analytics_answers;
  const std::vector<model::Template>& builtin_templates;
  const db::Endpoint& transfer_endpoint;  // the database for TransferSession
  runtime::Semaphore& transfers;
  std::string migrate_command;  // the command that creates the tables for new sites in a network
};

// The database session for one export, import or clean-up. The session may take longer than the
// sessions in the pools. Only a few such sessions are open at a time, because the CMS also needs
// database connections. Errors: db::Busy - too many sessions are open; as db::Connection.
class TransferSession {
 public:
  TransferSession(const App& app, const db::Endpoint& endpoint)
      : permit_(app.transfers), connection_(permitted(endpoint)) {}
  explicit TransferSession(const App& app) : TransferSession(app, app.transfer_endpoint) {}

  [[nodiscard]] db::Connection& connection() { return connection_; }

 private:
  [[nodiscard]] const db::Endpoint& permitted(const db::Endpoint& endpoint) const {
    if (permit_.is_granted()) return endpoint;
    throw db::Busy(base::Message("Other exports, imports or deletions run. Please try again when "
                                 "they are done.")
                       .text());
  }

  const runtime::Semaphore::Permit permit_;
  db::Connection connection_;
};

// Invalidates the cached totals and own ratings when it is destroyed. Create it before many ratings
// are changed. Whether the change succeeds or fails, no client then receives older data.
class ChangeOfMany {
 public:
  // "app" must outlive this object.
  explicit ChangeOfMany(const App& app) : app_(app) {}
  ChangeOfMany(const ChangeOfMany&) = delete;
  ChangeOfMany& operator=(const ChangeOfMany&) = delete;
  ~ChangeOfMany() {
    app_.stats.invalidate_all();
    app_.own_ratings_cache.invalidate_all();
  }

 private:
  const App& app_;
};

}  // namespace api
