#pragma once

#include <memory>
#include <vector>

#include "analytics/analytics.h"
#include "api/answer_cache.h"
#include "api/app.h"
#include "base/clock.h"
#include "base/leadership.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/semaphore.h"
#include "base/shared_cache.h"
#include "base/shared_memory.h"
#include "base/workers.h"
#include "checks/health_checks.h"
#include "cms/cms.h"
#include "config/config.h"
#include "db/pool.h"
#include "fcgi/refresher.h"
#include "identity/authenticator.h"
#include "identity/secrets.h"
#include "identity/ticket.h"
#include "identity/used_tickets.h"
#include "limit/login_guard.h"
#include "limit/segment.h"
#include "model/template.h"
#include "rollups/foreign_changes.h"
#include "rollups/stats_store.h"
#include "store/site.h"
#include "votes/own_ratings_cache.h"
#include "votes/vote_writer.h"

namespace fcgi {

// Everything that is needed to answer requests, built from the configuration in the order of the
// members: each member uses only earlier ones.
//
// app() is safe for concurrent use; refresh() is called by one thread.
class Service {
 public:
  // Opens the host's shared memory and starts the vote writer's thread. Database sessions are
  // opened on first use. All arguments must outlive this object. Errors: config::Error,
  // std::system_error - a file or a shared memory segment cannot be used.
  Service(const config::Config& config, const base::Clock& clock, const base::Log& log);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() = default;

  [[nodiscard]] const api::App& app() const { return app_; }

  // Refreshes the state of the site. Errors: as Refresher::refresh().
  void refresh() { refresher_.refresh(); }

  // Errors: as Refresher::require_contact().
  void require_contact() const { refresher_.require_contact(); }
  [[nodiscard]] bool lacks_contact() const { return refresher_.lacks_contact(); }

  [[nodiscard]] const db::Endpoint& endpoint() const { return endpoint_; }

  // The worker processes of this host, including this one.
  [[nodiscard]] base::Workers& workers() { return workers_; }

 private:
  const config::Config& config_;
  const base::Log& log_;
  const identity::KeyRing keys_;
  const std::unique_ptr<cms::Cms> cms_;
  const identity::Tickets tickets_;

  const base::SharedMemory metrics_memory_;
  base::Metrics metrics_;
  base::Workers workers_;

  const base::SharedMemory cache_memory_;
  base::CacheWriters cache_writers_;
  base::SharedCache stats_cache_;
  base::SharedCache voters_cache_;
  const rollups::StatsStore stats_;
  votes::OwnRatingsCache own_ratings_cache_;
  const votes::VoteStore votes_;
  const store::SettingsStore settings_;
  const store::VisitorStore visitors_;
  const votes::HeldStore held_;
  const store::TemplateStore templates_;
  const std::vector<model::Template> builtin_templates_;
  const analytics::Analytics analytics_;

  const db::Endpoint endpoint_;
  const db::Endpoint transfer_endpoint_;
  store::Site site_;
  rollups::ForeignChanges foreign_changes_;
  Refresher refresher_;

  base::Leadership leadership_;
  db::Pool sessions_;  // for short reads
  votes::RatingLoader own_ratings_;
  db::Pool analytics_sessions_;
  checks::HealthChecks health_checks_;
  base::Semaphore long_analyses_;
  api::AnswerCache analytics_answers_;
  const base::SharedMemory writer_turn_memory_;
  votes::WriterTurn writer_turn_;
  votes::VoteWriter vote_writer_;

  const base::SharedMemory limits_memory_;
  limit::Limiter limiter_;
  limit::KnownLogins known_logins_;
  limit::LoginGuard login_guard_;
  const base::SharedMemory used_tickets_memory_;
  identity::UsedTickets used_tickets_;
  identity::Authenticator authenticator_;

  const api::App app_;
};

}  // namespace fcgi
