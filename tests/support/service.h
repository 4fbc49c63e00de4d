#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/answer_cache.h"
#include "api/app.h"
#include "api/routes.h"
#include "base/crypto.h"
#include "config/config.h"
#include "support/cache_memory.h"
#include "support/database.h"
#include "support/metrics_memory.h"
#include "support/serve.h"
#include "support/wordpress_site.h"
#include "templates/builtin_templates.h"

namespace support {

// The service with a database of its own, for the site https://example.org.
class Service {
 public:
  Service() {
    cms_.refresh(connection_);
    site_.refresh(connection_);
  }

  [[nodiscard]] const api::App& app() const { return app_; }

  // A session beside the service's own.
  [[nodiscard]] db::Connection& connection() { return connection_; }

  [[nodiscard]] WordPressSite& wordpress() { return wordpress_; }

  [[nodiscard]] MetricsMemory& metrics() { return metrics_; }

  // From now on "network" may look at how the service is.
  void allow_monitor(const std::string& network) {
    metrics_networks_.push_back(base::Network::parse(network).value());
  }

  // From now on these settings count, and the CMS's options as they are.
  void change(const store::SettingChanges& changes) {
    settings_.change(connection_, changes);
    cms_.refresh(connection_);
    site_.refresh(connection_);
  }

  // The same, of a text that no change would accept.
  void store_row(const std::string& name, const std::string& text) {
    connection_.prepare("REPLACE INTO wp_ratingd_settings (name, value) VALUES (?, ?)")
        .bind(name)
        .bind('"' + text + '"')
        .execute();
    change({});
  }

  // The answer to "request" for a path below the base path.
  http::Response serve(http::Request request, const std::string& path) {
    const std::string whole_path = base_path_ + path;
    request.path = whole_path;
    return support::serve(app_, request);
  }

  // Of the tickets of "shop", of "desk", which may have all rights and forward addresses, of "app",
  // whose tickets browsers send, and of "wordpress", whose subjects are users. Nobody signs for
  // "mobile" (ES256), and "old" was removed.
  static constexpr const char* kTicketSecret = "a secret of at least thirty-two bytes";

 private:
  static std::string public_key() {
    return base::p256_public_key(
               "-----BEGIN PUBLIC KEY-----\n"
               "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEuGKIAxuQ5Qgnb9/e/3mBYopVPyA6\n"
               "3SJyU44CM4OqJqYwrnJabFegk5sXBESSFZxlr2BpNhuybPbP7Gp0QZH9bw==\n"
               "-----END PUBLIC KEY-----\n")
        .value();
  }
  static config::Config config_of_site(const db::Endpoint& endpoint) {
    config::Config config;
    config.database.server = endpoint.server;
    config.database.name = endpoint.schema;
    config.database.user = endpoint.user;
    config.table_prefix = kPrefix;
    config.home = config.siteurl = "https://example.org";
    return config;
  }

  Database database_;
  WordPressSite wordpress_{database_};
  db::Connection connection_{database_.endpoint()};
  const config::Config config_ = config_of_site(database_.endpoint());
  const std::string base_path_ = "/wp-json/ratingd/v1";
  const identity::KeyRing keys_{{"v", "n", "a", "c", "g", "i", "d", "s", "h"}};
  const base::Log log_{base::LogLevel::error};
  wordpress::WordPress cms_{config_};
  store::Site site_{kPrefix, cms_, log_};
  const identity::Tickets tickets_{
      {{.name = "shop", .key = kTicketSecret},
       {.name = "desk", .key = kTicketSecret, .rights = model::Rights::all(), .may_forward = true},
       {.name = "app", .key = kTicketSecret, .is_sent_by_browsers = true},
       {.name = "mobile", .algorithm = identity::TicketAlgorithm::es256, .key = public_key()},
       {.name = "wordpress",
        .key = kTicketSecret,
        .rights = model::Rights::all(),
        .is_of_cms_users = true}},
      {"old"}};
  base::Leadership leadership_;
  db::Pool sessions_{database_.endpoint(), 2, db::Pool::kMaxWait, &leadership_};
  CacheMemory memory_, memory_of_voters_;
  MetricsMemory metrics_{api::request_series(api::routes()), tickets_.key_names()};
  std::vector<base::Network> metrics_networks_;
  const rollups::StatsStore stats_{kPrefix, memory_.cache(), &metrics_.metrics()};
  votes::OwnRatingsCache own_ratings_cache_{memory_of_voters_.cache()};
  const votes::HostCaches caches_{stats_, own_ratings_cache_};
  votes::VoteWriter vote_writer_{
      database_.endpoint(), kPrefix, caches_, log_, {.metrics = &metrics_.metrics()}};
  const votes::VoteStore votes_{kPrefix};
  votes::RatingLoader own_ratings_{own_ratings_cache_, sessions_, 1, kPrefix, &metrics_.metrics()};
  const store::SettingsStore settings_{kPrefix};
  const store::VisitorStore visitors_{kPrefix};
  const votes::HeldStore held_{kPrefix, caches_};
  const analytics::Analytics analytics_{kPrefix, cms_};
  db::Pool analytics_sessions_{database_.endpoint(), 2};
  const base::SystemClock clock_;
  checks::HealthChecks health_checks_{{config_.database, config_.table_prefix, cms_},
                                      analytics_sessions_,
                                      metrics_.table(),
                                      clock_};
  base::Semaphore long_analyses_{
      {.permits = 1, .waiting = 1, .max_wait = std::chrono::milliseconds(50)}};
  api::AnswerCache analytics_answers_;
  const store::TemplateStore templates_{kPrefix};
  const std::vector<model::Template> builtin_templates_ = templates::builtin_templates();
  const db::Endpoint transfer_endpoint_ = database_.endpoint();
  const std::unique_ptr<limit::Limiter::Table> limits_ = std::make_unique<limit::Limiter::Table>();
  const std::unique_ptr<limit::KnownLogins::Table> logins_ =
      std::make_unique<limit::KnownLogins::Table>();
  limit::Limiter limiter_{*limits_};
  limit::KnownLogins known_logins_{*logins_};
  limit::LoginGuard login_guard_{limiter_, known_logins_};
  const std::unique_ptr<identity::UsedTickets::Table> used_ =
      std::make_unique<identity::UsedTickets::Table>();
  identity::UsedTickets used_tickets_{*used_};
  identity::Authenticator authenticator_{
      {.keys = keys_,
       .tickets = tickets_,
       .used_tickets = used_tickets_,
       .visitors = visitors_,
       .cms = cms_,
       .services = {.sessions = sessions_, .guard = login_guard_, .log = log_},
       .metrics = metrics_.metrics()}};
  const api::App app_{.routes = api::routes(),
                      .base_path = base_path_,
                      .table_prefix = kPrefix,
                      .keys = keys_,
                      .limiter = limiter_,
                      .authenticator = authenticator_,
                      .log = log_,
                      .logs_requests = false,
                      .leadership = leadership_,
                      .metrics = metrics_.metrics(),
                      .workers = metrics_.workers(),
                      .configured_workers = 2,
                      .metrics_networks = metrics_networks_,
                      .health_checks = health_checks_,
                      .site = site_,
                      .sessions = sessions_,
                      .vote_writer = vote_writer_,
                      .votes = votes_,
                      .own_ratings = own_ratings_,
                      .own_ratings_cache = own_ratings_cache_,
                      .stats = stats_,
                      .cms = cms_,
                      .settings = settings_,
                      .visitors = visitors_,
                      .held = held_,
                      .analytics = analytics_,
                      .analytics_sessions = analytics_sessions_,
                      .long_analyses = long_analyses_,
                      .analytics_answers = analytics_answers_,
                      .templates = templates_,
                      .builtin_templates = builtin_templates_,
                      .transfer_endpoint = transfer_endpoint_};
};

}  // namespace support
