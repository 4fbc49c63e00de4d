#include "fcgi/service.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "adapters/adapters.h"
#include "api/answer_cache.h"
#include "api/routes.h"
#include "config/checked_site.h"
#include "config/config.h"
#include "db/endpoint.h"
#include "handlers/handlers.h"
#include "identity/secrets.h"
#include "identity/ticket.h"
#include "limit/login_guard.h"
#include "openapi/description.h"
#include "rollups/foreign_changes.h"
#include "runtime/shared_cache.h"
#include "runtime/shared_memory.h"
#include "templates/builtin_templates.h"
#include "transfer/locks.h"

namespace fcgi {
namespace {

constexpr unsigned kMebibyteShift = 20;
// Each of the two caches uses half of the cache memory.
constexpr runtime::SharedCache::Part kForTotals{0, 2}, kForVoters{1, 2};

// The shared memory segment for one site in a network. The segment contains hash keys that only
// this site uses, so that no site can look up another site's cache entries or rate limits. The
// segment also contains the data that determine whether cached entries are still valid.
struct SiteSegment {
  runtime::SharedCache::Header cache;
  base::SharedKey limits;
};
constexpr std::string_view kSiteLayout = "site 1";
// The maximum number of votes that wait in a worker. Each vote occupies about 20 KB until its batch
// is written, and a worker should use less than 32 MiB of memory.
constexpr std::size_t kMaxWaitingVotes = 640;
constexpr std::chrono::seconds kReaderTimeout{1};
constexpr std::chrono::seconds kAnalyticsTimeout{5};
constexpr std::chrono::seconds kTransferTimeout{30};
constexpr std::chrono::seconds kWriterTimeout{3};      // longer than the session's lock wait (1 s)
constexpr std::chrono::seconds kWriterIdleTimeout{5};  // the writer is never idle in a transaction

// The number of database sessions that the vote writer and the refresher use.
constexpr unsigned kOtherSessions = 2;
// The number of sessions for analytics, in addition to db_sessions. Only one session at a time
// computes lists that cover a long period, so that these lists do not block short reads or other
// analytics. One of the sessions is for GET /health, which runs only one check at a time.
constexpr unsigned kAnalyticsSessions = 3;
// The limits on each site's running and waiting transfers.
constexpr runtime::Semaphore::Bounds kTransfers{
    .permits = 4, .waiting = 8, .max_wait = transfer::kLockTimeout};
// The number of vote writers for all sites in a network. There are several vote writers, so that a
// site whose batches wait for locks does not delay the other sites.
constexpr unsigned kWritersOfNetwork = 4;
// The number of sessions for refreshes in a network. One session is not enough, because a request
// that loads a site also refreshes the site.
constexpr unsigned kRefreshersOfNetwork = 3;

db::Endpoint writer_endpoint(const db::Endpoint& endpoint) {
  db::Endpoint own = db::with_timeout(endpoint, kWriterTimeout);
  own.idle_transaction_timeout = kWriterIdleTimeout;
  own.is_replaceable = true;
  return own;
}

// Returns how many sessions one site may use at the same time. "all" is the total number of
// sessions in the process. A site in a network must leave some sessions for the other sites.
unsigned share_of(const config::Config& config, unsigned all) {
  return config.network.serves_all ? std::max(1U, all / 2) : all;
}

// Returns how many of a site's requests may wait for a session. If the process serves only one
// site, the limit is the total number of threads, including the leader.
unsigned most_waiting_of(const config::Config& config) {
  return config.network.serves_all ? config.threads / 2 : config.threads + 1;
}

db::Endpoint counted(db::Endpoint endpoint) {
  endpoint.statements = std::make_shared<std::atomic<std::size_t>>(0);
  return endpoint;
}

// Returns "endpoint" with a limit on prepared statements for sessions that serve many sites.
// MariaDB and MySQL limit the total number of prepared statements (max_prepared_stmt_count).
// Together, the workers on this host use at most half of the servers' default limit on prepared
// statements.
db::Endpoint for_sites(db::Endpoint endpoint, const config::Config& config) {
  constexpr std::size_t kShare = 16382 / 2, kLeast = 128, kMost = 1024;
  if (!config.network.serves_all) return endpoint;
  const std::size_t sessions =
      std::size_t{config.processes} * (kWritersOfNetwork + kRefreshersOfNetwork);
  endpoint.max_statements = std::clamp(kShare / sessions, kLeast, kMost);
  return endpoint;
}

// Returns the ticket keys in the secret file, and the key for tickets that the CMS's own programs
// sign. If the CMS provides no key, its tickets are rejected, just like tickets signed with a
// removed key.
identity::Tickets tickets_of(const config::Config& config, const cms::Cms& cms,
                             identity::SecretFile file) {
  const std::string name(config::name_of(config.cms));
  if (const auto secret = cms.ticket_secret()) {
    file.ticket_keys.push_back({.name = name,
                                .key = *secret,
                                .rights = model::Rights::all(),
                                .may_forward = true,
                                .is_of_cms_users = true});
  } else if (config.cms != config::CmsName::none) {
    file.removed_ticket_keys.push_back(name);
  }
  return identity::Tickets(file.ticket_keys, std::move(file.removed_ticket_keys));
}

}  // namespace

SharedResources::SharedResources(const config::Config& first, const base::Clock& used_clock,
                                 const runtime::Log& used_log,
                                 std::chrono::milliseconds analytics_max_wait)
    : config(first),
      clock(used_clock),
      log(used_log),
      secrets(identity::read_secret_file(config.secret_file)),
      metrics_memory(config::metrics_segment_path(config), sizeof(runtime::MetricsTable)),
      cache_memory(config::cache_segment_path(config, config.cache_memory),
                   std::size_t{config.cache_memory} << kMebibyteShift),
      limits_memory(config::segment_path(config, limit::kSegmentLayout), sizeof(limit::Segment)),
      used_tickets_memory(config::segment_path(config, identity::kUsedTicketsLayout),
                          sizeof(identity::UsedTickets::Table)),
      sites_memory(config.network.serves_all
                       ? std::make_unique<runtime::SharedMemory>(config::sites_segment_path(config),
                                                                 sizeof(runtime::SitesTable))
                       : nullptr),
      workers(metrics_memory, metrics_memory.as<runtime::MetricsTable>()),
      contact(config.runtime_dir),
      endpoint(counted(db::endpoint_of(config, kReaderTimeout))),
      readers(db::bounded(endpoint, kReaderTimeout), config.db_sessions - kOtherSessions,
              db::Pool::kMaxWait, &leadership),
      analysts(db::bounded(endpoint, kAnalyticsTimeout), kAnalyticsSessions),
      refreshers(for_sites(endpoint, config), config.network.serves_all ? kRefreshersOfNetwork : 1),
      writers(votes::writer_sessions(for_sites(writer_endpoint(endpoint), config),
                                     config.network.serves_all ? kWritersOfNetwork : 1)),
      long_analyses({.permits = 1, .waiting = 8, .max_wait = analytics_max_wait}),
      builtin_templates(templates::builtin_templates()),
      knows_sites(!config.network.serves_all) {}

// The order of the members matters, because some members depend on earlier members.
struct Service::Objects {
  SharedResources& shared;
  const config::Config& config;
  const runtime::Log log;
  const base::Clock& clock = shared.clock;

  const identity::KeyRing keys = identity::keys_of(shared.secrets, config::site_of_keys(config));
  const std::unique_ptr<cms::Cms> cms = adapters::make_cms(config);
  const identity::Tickets tickets = tickets_of(config, *cms, shared.secrets);

  runtime::MetricsTable& metrics_table = shared.metrics_memory.as<runtime::MetricsTable>();
  runtime::Metrics metrics{
      metrics_table, api::request_series(handlers::routes()), tickets.key_names(),
      shared.sites_memory == nullptr ? nullptr : &shared.sites_memory->as<runtime::SitesTable>(),
      config.network.blog_id};

  const std::unique_ptr<const runtime::SharedMemory> own_memory =
      config.network.serves_all
          ? std::make_unique<runtime::SharedMemory>(config::site_segment_path(config, kSiteLayout),
                                                    sizeof(SiteSegment))
          : nullptr;
  runtime::SharedCache::Header& cache_header =
      own_memory == nullptr ? shared.cache_memory.as<runtime::SharedCache::Header>()
                            : own_memory->as<SiteSegment>().cache;
  runtime::CacheWriters cache_writers{cache_header.writers};
  const std::chrono::seconds cache_ttl{config.cache_seconds};
  runtime::SharedCache stats_cache{cache_header, shared.cache_memory, kForTotals, cache_ttl, clock};
  runtime::SharedCache voters_cache{cache_header, shared.cache_memory, kForVoters, cache_ttl,
                                    clock};
  const rollups::StatsStore stats{stats_cache, &metrics};
  votes::OwnRatingsCache own_ratings_cache{voters_cache};
  const votes::HeldStore held{{stats, own_ratings_cache}};
  const analytics::UnpublishedObjects unpublished{*cms, {}};

  const db::Endpoint transfer_endpoint =
      db::for_tables(db::with_timeout(shared.endpoint, kTransferTimeout), config.table_prefix);
  runtime::Semaphore transfers{kTransfers};
  store::Site site{*cms, log};
  const votes::HostCaches caches{stats, own_ratings_cache, &cache_writers};
  rollups::ForeignChanges foreign_changes{
      runtime::CacheEpoch(cache_header.epoch), cache_writers,
      [this](const rollups::Changed& changed) { caches.forget(changed); }, clock};
  Refresher refresher{config,
                      shared.refreshers.for_tables(config.table_prefix, 1, 1),
                      {.site = site, .cms = *cms, .foreign_changes = foreign_changes},
                      // All sites in the process share one DatabaseContact, which only the first
                      // site sets.
                      &shared.config == &config ? &shared.contact : nullptr,
                      clock,
                      log};
  analytics::ListRefresher list_refresher{*cms, clock};

  const unsigned readers = share_of(config, config.db_sessions - kOtherSessions);
  db::Pool sessions =
      shared.readers.for_tables(config.table_prefix, readers, most_waiting_of(config));
  votes::RatingLoader own_ratings{own_ratings_cache, sessions, readers, &metrics};
  db::Pool analytics_sessions = shared.analysts.for_tables(
      config.table_prefix, share_of(config, kAnalyticsSessions), most_waiting_of(config));
  checks::HealthChecks health_checks{
      {config.database, *cms}, analytics_sessions, metrics_table, clock};
  api::AnswerCache analytics_answers{};
  cms::PublishedObjects published_objects{runtime::CacheEpoch(cache_header.epoch), cache_ttl,
                                          clock};
  const runtime::SharedMemory writer_turn_memory{
      config::site_segment_path(config, votes::kWriterTurnLayout),
      sizeof(votes::WriterTurn::Segment)};
  votes::WriterTurn writer_turn{writer_turn_memory};
  votes::VoteWriter vote_writer{
      shared.writers.for_tables(config.table_prefix, 1, 1),
      caches,
      log,
      {.batch_limit = config.batch_limit, .queue_limit = kMaxWaitingVotes, .metrics = &metrics},
      config.batch_limit > 1 ? &writer_turn : nullptr};

  limit::Segment& limits = shared.limits_memory.as<limit::Segment>();
  limit::Limiter limiter{
      own_memory == nullptr ? limits.limits.key : own_memory->as<SiteSegment>().limits,
      limits.limits.buckets};
  // The sites in a network share one login limiter, because they also share their users. With
  // separate limiters, an attacker could try more passwords on each site.
  limit::Limiter login_limiter{limits.limits};
  limit::KnownLogins known_logins{limits.logins};
  limit::LoginGuard login_guard{login_limiter, known_logins};
  identity::UsedTickets used_tickets{shared.used_tickets_memory.as<identity::UsedTickets::Table>()};
  identity::Authenticator authenticator{
      {.keys = keys,
       .tickets = tickets,
       .used_tickets = used_tickets,
       .cms = *cms,
       .services = {.sessions = sessions, .guard = login_guard, .log = log}}};

  const openapi::Description description{handlers::routes()};

  const api::App app{
      .core = {.base_path = config.base_path,
               .keys = keys,
               .log = log,
               .refused_logins = shared.refused_logins,
               .metrics = metrics,
               .sessions = sessions,
               .cms = *cms,
               .published_objects = published_objects},
      .voting = {.writer = vote_writer, .held = held, .limiter = limiter},
      .reading = {.stats = stats,
                  .own_ratings = own_ratings,
                  .own_ratings_cache = own_ratings_cache},
      .templates = {.builtin = shared.builtin_templates},
      .analytics = {.sessions = analytics_sessions,
                    .long_scans = shared.long_analyses,
                    .answers = analytics_answers,
                    .unpublished = unpublished},
      .transfers = {.endpoint = transfer_endpoint,
                    .permits = transfers,
                    .users_table = config.logins.users_table},
      .monitoring = {.workers = shared.workers,
                     .configured_workers = config.processes,
                     .health_checks = health_checks},
      .front = {.routes = handlers::routes(),
                .description = description,
                .knows_sites = shared.knows_sites,
                .site = site,
                .authenticator = authenticator,
                .leadership = shared.leadership,
                .metrics_networks = config.metrics_networks,
                .logs_requests = config.access_log,
                .migrate_command = config::command_for(config, "migrate --all-sites")}};
};

Service::Service(SharedResources& shared, const config::Config& config, const std::string& name)
    : objects_(new Objects{shared, config, runtime::Log(shared.log, name)}) {}

Service::~Service() = default;

const api::App& Service::app() const { return objects_->app; }

Refresher& Service::refresher() { return objects_->refresher; }

analytics::ListRefresher& Service::list_refresher() { return objects_->list_refresher; }

void Service::set_tables(store::Tables tables) { objects_->site.set_tables(tables); }

}  // namespace fcgi
