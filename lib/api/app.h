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
#include "identity/authenticator.h"
#include "identity/secrets.h"
#include "limit/limiter.h"
#include "model/template.h"
#include "rollups/stats_store.h"
#include "runtime/leadership.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/semaphore.h"
#include "runtime/workers.h"
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

// The services that handlers use. Everything is created by main, outlives every request and is safe
// for concurrent use.
struct App {
  const std::span<const Route> routes;
  const openapi::Description& description;  // of the routes
  const std::string& base_path;
  // Whether all sites of the host are known: until then, a request for an unknown one gets 503, not
  // 404.
  const std::atomic<bool>& knows_sites;
  const std::string& users_table;  // of the CMS
  const identity::KeyRing& keys;
  limit::Limiter& limiter;
  identity::Authenticator& authenticator;
  const runtime::Log& log;
  const bool logs_requests;
  runtime::Leadership& leadership;  // of the threads that answer requests
  runtime::Metrics& metrics;        // with the series of request_series()
  const runtime::Workers& workers;  // of this host
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
  db::Pool& analytics_sessions;       // for reads that may take longer
  runtime::Semaphore& long_analyses;  // for scans of a row per object and day
  AnswerCache& analytics_answers;
  const std::vector<model::Template>& builtin_templates;
  const db::Endpoint& transfer_endpoint;  // for TransferSession
  runtime::Semaphore& transfers;
  std::string migrate_command;  // makes the tables of a network's new sites
};

// The session of one export, import or clean-up, which take longer than those of the pools may. Few
// are open at a time: the CMS needs connections of the database, too. Errors: db::Busy; as
// db::Connection.
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

// A change of many ratings. Whatever its outcome, no client gets older totals or own ratings
// afterwards.
class ChangeOfMany {
 public:
  // "app" must outlive this.
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
