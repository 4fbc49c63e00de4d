#include "fcgi/service.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include "adapters/adapters.h"
#include "api/routes.h"
#include "config/segment_path.h"
#include "db/endpoint.h"
#include "identity/ticket_keys.h"
#include "templates/builtin_templates.h"

namespace fcgi {
namespace {

constexpr unsigned kMebibyteShift = 20;
// Each cache has a half of the memory of caches.
constexpr base::SharedCache::Part kForTotals{0, 2}, kForVoters{1, 2};
// Votes that may wait in a worker. Each takes about 20 KB, also while its batch is written, and a
// worker is to stay below 32 MiB.
constexpr std::size_t kMaxWaitingVotes = 640;
constexpr std::chrono::seconds kReaderTimeout{1};
constexpr std::chrono::seconds kAnalyticsTimeout{5};
constexpr std::chrono::milliseconds kAnalyticsMaxWait{1500};  // for a list of a long period
constexpr std::chrono::seconds kTransferTimeout{30};
constexpr std::chrono::seconds kWriterTimeout{3};  // above the session's lock wait of one second
constexpr std::chrono::seconds kWriterIdleTimeout{5};  // it is never idle in a transaction

// Database sessions for other uses than short reads: the vote writer's and the refresher's.
constexpr unsigned kOtherSessions = 2;
// In addition to db_sessions, while analytics are requested: lists of long periods must block
// neither short reads nor, since they are made one at a time, other analytics. The third is for
// the checks of GET /health, also one at a time.
constexpr unsigned kAnalyticsSessions = 3;

db::Endpoint writer_endpoint(const db::Endpoint& endpoint) {
  db::Endpoint own = db::with_timeout(endpoint, kWriterTimeout);
  own.idle_transaction_timeout = kWriterIdleTimeout;
  own.is_replaceable = true;
  return own;
}

// The keys of the secret file, and the one that the CMS's own programs derive.
std::vector<identity::TicketKey> ticket_keys_of(const config::Config& config, const cms::Cms& cms) {
  std::vector<identity::TicketKey> keys = identity::read_ticket_keys(config.secret_file);
  if (const auto secret = cms.ticket_secret()) {
    keys.push_back({.name = std::string(config::name_of(config.cms)),
                    .key = *secret,
                    .rights = model::Rights::all(),
                    .may_forward = true,
                    .is_of_cms_users = true});
  }
  return keys;
}

// A CMS without such a key is one whose key was removed.
std::vector<std::string> removed_keys_of(const config::Config& config, const cms::Cms& cms) {
  std::vector<std::string> names = identity::read_removed_ticket_keys(config.secret_file);
  if (config.cms != config::CmsName::none && !cms.ticket_secret()) {
    names.emplace_back(config::name_of(config.cms));
  }
  return names;
}

}  // namespace

Service::Service(const config::Config& config, const base::Clock& clock, const base::Log& log)
    : config_(config),
      log_(log),
      keys_(identity::read_secrets(config.secret_file)),
      cms_(adapters::make_cms(config)),
      tickets_(ticket_keys_of(config, *cms_), removed_keys_of(config, *cms_)),
      metrics_memory_(config::metrics_segment_path(config), sizeof(base::MetricsTable)),
      metrics_(metrics_memory_.as<base::MetricsTable>(), api::request_series(api::routes()),
               tickets_.key_names()),
      workers_(metrics_memory_, metrics_memory_.as<base::MetricsTable>()),
      cache_memory_(config::cache_segment_path(config, config.cache_memory),
                    std::size_t{config.cache_memory} << kMebibyteShift),
      cache_writers_(cache_memory_.as<base::SharedCache::Header>().writers),
      stats_cache_(cache_memory_, kForTotals, std::chrono::seconds(config.cache_seconds), clock),
      voters_cache_(cache_memory_, kForVoters, std::chrono::seconds(config.cache_seconds), clock),
      stats_(config.table_prefix, stats_cache_, &metrics_),
      own_ratings_cache_(voters_cache_),
      votes_(config.table_prefix),
      settings_(config.table_prefix),
      visitors_(config.table_prefix),
      held_(config.table_prefix, {stats_, own_ratings_cache_}),
      templates_(config.table_prefix),
      builtin_templates_(templates::builtin_templates()),
      analytics_(config.table_prefix, *cms_),
      endpoint_(db::endpoint_of(config.database, kReaderTimeout)),
      transfer_endpoint_(db::with_timeout(endpoint_, kTransferTimeout)),
      site_(config.table_prefix, *cms_, log),
      foreign_changes_(config.table_prefix,
                       base::CacheEpoch(cache_memory_.as<base::SharedCache::Header>().epoch),
                       cache_writers_, clock),
      refresher_(
          config, endpoint_,
          {.site = site_, .cms = *cms_, .votes = votes_, .foreign_changes = foreign_changes_},
          clock, log),
      sessions_(db::bounded(endpoint_, kReaderTimeout), config.db_sessions - kOtherSessions,
                db::Pool::kMaxWait, &leadership_),
      own_ratings_(own_ratings_cache_, sessions_, config.db_sessions - kOtherSessions,
                   config.table_prefix, &metrics_),
      analytics_sessions_(db::bounded(endpoint_, kAnalyticsTimeout), kAnalyticsSessions),
      health_checks_({config.database, config.table_prefix, *cms_}, analytics_sessions_,
                     metrics_memory_.as<base::MetricsTable>(), clock),
      long_analyses_({.permits = 1, .waiting = 8, .max_wait = kAnalyticsMaxWait}),
      writer_turn_memory_(config::segment_path(config, votes::kWriterTurnLayout),
                          sizeof(votes::WriterTurn::Segment)),
      writer_turn_(writer_turn_memory_),
      vote_writer_(writer_endpoint(endpoint_), config.table_prefix,
                   {stats_, own_ratings_cache_, &cache_writers_}, log,
                   {.batch_limit = config.batch_limit,
                    .queue_limit = kMaxWaitingVotes,
                    .metrics = &metrics_},
                   config.batch_limit > 1 ? &writer_turn_ : nullptr),
      limits_memory_(config::segment_path(config, limit::kSegmentLayout), sizeof(limit::Segment)),
      limiter_(limits_memory_.as<limit::Segment>().limits),
      known_logins_(limits_memory_.as<limit::Segment>().logins),
      login_guard_(limiter_, known_logins_),
      used_tickets_memory_(config::segment_path(config, identity::kUsedTicketsLayout),
                           sizeof(identity::UsedTickets::Table)),
      used_tickets_(used_tickets_memory_.as<identity::UsedTickets::Table>()),
      authenticator_({.keys = keys_,
                      .tickets = tickets_,
                      .used_tickets = used_tickets_,
                      .visitors = visitors_,
                      .cms = *cms_,
                      .services = {.sessions = sessions_, .guard = login_guard_, .log = log},
                      .metrics = metrics_}),
      app_{.routes = api::routes(),
           .base_path = config_.base_path,
           .table_prefix = config_.table_prefix,
           .keys = keys_,
           .limiter = limiter_,
           .authenticator = authenticator_,
           .log = log_,
           .logs_requests = config_.access_log,
           .leadership = leadership_,
           .metrics = metrics_,
           .workers = workers_,
           .configured_workers = config_.processes,
           .metrics_networks = config_.metrics_networks,
           .health_checks = health_checks_,
           .site = site_,
           .sessions = sessions_,
           .vote_writer = vote_writer_,
           .votes = votes_,
           .own_ratings = own_ratings_,
           .own_ratings_cache = own_ratings_cache_,
           .stats = stats_,
           .cms = *cms_,
           .settings = settings_,
           .visitors = visitors_,
           .held = held_,
           .analytics = analytics_,
           .analytics_sessions = analytics_sessions_,
           .long_analyses = long_analyses_,
           .analytics_answers = analytics_answers_,
           .templates = templates_,
           .builtin_templates = builtin_templates_,
           .transfer_endpoint = transfer_endpoint_} {}

}  // namespace fcgi
