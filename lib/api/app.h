#pragma once

#include <atomic>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "analytics/unpublished_objects.h"
#include "base/address.h"
#include "checks/health_checks.h"
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

// The groups of services available to handlers. A handler has a parameter for each group that it
// uses. All services outlive every request and are safe for concurrent use.

// The services that most handlers use.
struct Core {
  const std::string& base_path;
  const identity::KeyRing& keys;
  const runtime::Log& log;
  runtime::OnceAMinute& refused_logins;  // limits the log events about the database account
  runtime::Metrics& metrics;             // its series come from request_series()
  db::Pool& sessions;
  const cms::Cms& cms;
  cms::PublishedObjects& published_objects;
};

// The services for changes to votes.
struct Voting {
  votes::VoteWriter& writer;
  const votes::HeldStore& held;
  limit::Limiter& limiter;
};

// The services that read totals and voters' own ratings from caches.
struct Reading {
  const rollups::StatsStore& stats;
  votes::RatingLoader& own_ratings;
  votes::OwnRatingsCache& own_ratings_cache;
};

struct Templates {
  const std::vector<model::Template>& builtin;
};

struct Analytics {
  db::Pool& sessions;              // may take longer than the sessions in Core
  runtime::Semaphore& long_scans;  // limits concurrent scans over the rows for each object and day
  AnswerCache& answers;
  const analytics::UnpublishedObjects& unpublished;
};

// The services for exports, imports and clean-ups.
struct Transfers {
  const db::Endpoint& endpoint;  // the database for TransferSession
  runtime::Semaphore& permits;
  const std::string& users_table;  // the CMS's table of users
};

// The services for routes that operators use.
struct Monitoring {
  const runtime::Workers& workers;  // the workers on this host
  const unsigned configured_workers;
  checks::HealthChecks& health_checks;
};

// The services that decide whether a request is answered and which handler answers it.
struct Front {
  const std::span<const Route> routes;
  const openapi::Description& description;  // describes "routes"
  // True if the worker knows all sites on the host. If "knows_sites" is false, a request for an
  // unknown site gets a 503 response instead of a 404 response.
  const std::atomic<bool>& knows_sites;
  const store::Site& site;
  identity::Authenticator& authenticator;
  runtime::Leadership& leadership;  // decides which thread waits for requests
  const std::vector<base::Network>& metrics_networks;
  const bool logs_requests;
  std::string migrate_command;  // the command that creates the tables for new sites in a network
};

struct App {
  Core core;
  Voting voting;
  Reading reading;
  Templates templates;
  Analytics analytics;
  Transfers transfers;
  Monitoring monitoring;
  Front front;

  // Returns the service group of type Group.
  template <typename Group>
  [[nodiscard]] const Group& get() const {
    return std::get<const Group&>(
        std::tie(core, voting, reading, templates, analytics, transfers, monitoring, front));
  }
};

// The database session for one export, import or clean-up. Statements in this session have a longer
// time limit than statements in pooled sessions. Only a few such sessions are open at a time,
// because the CMS also needs database connections. Throws db::Busy if too many sessions are open.
// Also throws the same exceptions as db::Connection.
class TransferSession {
 public:
  TransferSession(const Transfers& transfers, const db::Endpoint& endpoint)
      : permit_(transfers.permits), connection_(permitted(endpoint)) {}
  explicit TransferSession(const Transfers& transfers)
      : TransferSession(transfers, transfers.endpoint) {}

  [[nodiscard]] db::Connection& connection() { return connection_; }

 private:
  [[nodiscard]] const db::Endpoint& permitted(const db::Endpoint& endpoint) const {
    if (permit_.is_granted()) return endpoint;
    throw db::Busy(
        base::Message("Other exports, imports or deletions are running. Please try again later.")
            .text());
  }

  const runtime::Semaphore::Permit permit_;
  db::Connection connection_;
};

// The destructor invalidates the cached totals and the cached ratings of voters. Create an object
// of this class before a change to many ratings, so that outdated data are removed from the caches
// even if the change fails.
class ChangeOfMany {
 public:
  // "reading" must outlive this object.
  explicit ChangeOfMany(const Reading& reading) : reading_(reading) {}
  ChangeOfMany(const ChangeOfMany&) = delete;
  ChangeOfMany& operator=(const ChangeOfMany&) = delete;
  ~ChangeOfMany() {
    reading_.stats.invalidate_all();
    reading_.own_ratings_cache.invalidate_all();
  }

 private:
  const Reading& reading_;
};

}  // namespace api
