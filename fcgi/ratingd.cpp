// The FastCGI worker. It serves the listening socket on file descriptor 0, as the FastCGI
// specification has it; systemd or spawn-fcgi starts it and puts it in the background.

#include <malloc.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/answer_cache.h"
#include "api/app.h"
#include "api/routes.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/shared_memory.h"
#include "config/config.h"
#include "config/segment_path.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "db/pool.h"
#include "fcgi/list_refresh_thread.h"
#include "fcgi/service_manager.h"
#include "fcgi/worker.h"
#include "identity/authenticator.h"
#include "identity/secrets.h"
#include "limit/segment.h"
#include "rollups/rollup_state.h"
#include "rollups/stats_store.h"
#include "store/site.h"
#include "templates/builtin_templates.h"
#include "votes/vote_writer.h"
#include "wordpress/login_settings.h"
#include "wordpress/wp_config_settings.h"

namespace {

constexpr int kListener = 0;
constexpr unsigned kMebibyteShift = 20;
constexpr std::chrono::seconds kTick{1};
constexpr std::chrono::seconds kDrainLimit{30};
constexpr std::chrono::hours kCounterGrace{1};  // for hosts whose clocks are behind
constexpr std::chrono::seconds kReaderTimeout{1};
constexpr std::chrono::seconds kAnalyticsTimeout{5};
constexpr std::chrono::milliseconds kAnalyticsPatience{1500};  // of a list of a long period
constexpr std::chrono::seconds kTransferTimeout{30};
constexpr std::chrono::seconds kWriterTimeout{3};  // above the session's lock wait of one second
constexpr std::chrono::seconds kWriterIdleTimeout{5};  // it never pauses in a transaction

void require_listening_socket() {
  int listening = 0;
  socklen_t size = sizeof listening;
  if (getsockopt(kListener, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0) {
    throw config::Error(
        "File descriptor 0 is not a listening socket. Start ratingd by systemd (ratingd.socket) or "
        "by: spawn-fcgi -n -s /run/ratingd.sock -- ratingd …");
  }
}

// What the main thread does while the others serve.
class Caretaker {
 public:
  Caretaker(const config::Config& config, const db::Endpoint& endpoint, const base::Log& log,
            const base::Clock& clock, wordpress::LoginSettings& login_settings, store::Site& site,
            const votes::VoteStore& votes)
      : config_(config),
        log_(log),
        clock_(clock),
        login_settings_(login_settings),
        site_(site),
        votes_(votes),
        state_(config.table_prefix),
        sessions_(endpoint, 1) {}

  // Looks at the database again. Throws config::Error if its tables are not for this program, or no
  // longer, seen twice in a row; or if, at the start, the server cannot be reached as --db-tls
  // asks.
  void tick() {
    try {
      sessions_.with_session([&](db::Connection& connection) { look(connection); });
      if (away_) log_.info("database_back");
      away_ = false;
    } catch (const db::Conflict& conflict) {
      log_.debug("caretaker_waits", {{"what", conflict.what()}});  // the next tick tries again
    } catch (const db::InsecureServer& refused) {
      if (!checked_) throw config::Error(refused.what());
      note_away(refused);
    } catch (const db::Failure& failure) {
      note_away(failure);
    }
  }

 private:
  void note_away(const db::Failure& failure) {
    if (!away_) log_.warning("database_away", {{"what", failure.what()}});
    away_ = true;
  }

  void look(db::Connection& connection) {
    note_server(connection);
    const int version = db::schema_version(connection, config_.table_prefix);
    if (!db::can_run_on(version)) {
      if (!checked_ || is_foreign_) throw config::Error(db::advice_for(version));
      is_foreign_ = true;
      return;
    }
    is_foreign_ = false;
    if (!checked_) {
      static_cast<void>(state_.zone(connection));  // throws if an interrupted migration left none
      checked_ = true;
    }
    // Each by itself: what one of them cannot read must not keep the other old.
    refresh("settings", [&] { site_.refresh(connection); });
    refresh("logins", [&] { login_settings_.refresh(connection); });
    if (site_.state() == nullptr) return;
    if (site_.state()->origins.empty() && !warned_) {
      log_.warning("no_origin", {{"advice",
                                  "the options home and siteurl hold no address that browsers "
                                  "would send as an origin; give --wp-home"}});
      warned_ = true;
    }
    votes_.drop_old_counters(connection, clock_.now() - kCounterGrace);
  }

  // Of several, which one it is says something; what drops old rows below finds out in time when it
  // does not accept writes any more.
  void note_server(const db::Connection& connection) {
    if (config_.database.others.empty() || connection.server() == server_) return;
    server_ = connection.server();
    log_.info("database_server", {{"server", server_}});
  }

  // Says once what cannot be read: a table or a right that is missing, unlike a database that is
  // away, does not come back by itself.
  template <typename Read>
  void refresh(const char* what, const Read& read) {
    try {
      read();
      unreadable_.erase(what);
    } catch (const db::ConnectionLost&) {
      throw;
    } catch (const db::Conflict&) {
      throw;
    } catch (const db::Failure& failure) {
      if (unreadable_.insert(what).second) {
        log_.error("cannot_be_read", {{"what", what},
                                      {"why", failure.what()},
                                      {"advice", "run ratingctl doctor; old values stay in use"}});
      }
    }
  }

  const config::Config& config_;
  const base::Log& log_;
  const base::Clock& clock_;
  wordpress::LoginSettings& login_settings_;
  store::Site& site_;
  const votes::VoteStore& votes_;
  const rollups::RollupStateStore state_;
  db::Pool sessions_;
  std::string server_;
  bool checked_ = false;
  bool is_foreign_ = false;  // the tables were not for this program at the last look
  std::set<std::string> unreadable_;
  bool away_ = false;
  bool warned_ = false;
};

// A key that only PHP knows would make WordPress's own cookies look forged.
void require_all_read(const config::Config& config) {
  if (config.not_read.empty()) return;
  std::string sentences;
  for (const std::string& what : config.not_read) {
    sentences += (sentences.empty() ? "" : "\n") + what;
  }
  throw config::Error(sentences);
}

// Blocks all signals but those that tell of a crash, in this thread and those it will make: libfcgi
// takes an interrupted read for the end of the connection. Returns those that are waited for.
sigset_t block_signals() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&blocked, crash);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&awaited, signal);
  return awaited;
}

// What is running, to be shown to the others (base/workers.h).
struct Shown {
  const fcgi::Worker& worker;
  const votes::VoteWriter& vote_writer;
  const db::Pool& sessions;
  const db::Pool& analytics_sessions;
};

void show(const Shown& shown, base::Workers& workers) {
  using base::Gauge;
  workers.show(Gauge::threads_busy, shown.worker.busy());
  workers.show(Gauge::queue, shown.vote_writer.waiting());
  const auto sessions = shown.sessions.sessions();
  workers.show(Gauge::sessions_busy, sessions.busy);
  workers.show(Gauge::sessions_idle, sessions.idle);
  const auto of_analytics = shown.analytics_sessions.sessions();
  workers.show(Gauge::analytics_sessions_busy, of_analytics.busy);
  workers.show(Gauge::analytics_sessions_idle, of_analytics.idle);
}

void join(const config::Config& config, const base::Clock& clock, const Shown& shown,
          base::Workers& workers, const base::Log& log) {
  using base::Gauge;
  if (!workers.join()) {
    log.warning("not_shown", {{"advice",
                               "as many workers as can be shown run already; this one "
                               "serves, and counts, but /metrics does not show it"}});
    return;
  }
  const auto started = std::chrono::floor<std::chrono::seconds>(clock.now()).time_since_epoch();
  workers.show(Gauge::started_at, static_cast<std::uint64_t>(started.count()));
  workers.show(Gauge::threads, config.threads);
  workers.show(Gauge::queue_limit, shown.vote_writer.queue_limit());
  workers.show(Gauge::processes, config.processes);
}

// SIGUSR1 asks for everything to be logged, SIGUSR2 for what is configured.
void change_log_level(int signal, base::LogLevel configured, base::Log& log) {
  const bool is_all = signal == SIGUSR1;
  log.set_least(base::LogLevel::info);
  log.info("log_level", {{"level", is_all ? "debug" : "as configured"}});
  log.set_least(is_all ? base::LogLevel::debug : configured);
}

// Calls "tick" each second until a signal asks to stop, or until the tables are no longer for this
// program: it must not write to what it does not know. Returns what there is to say then, or
// nothing after a signal.
template <typename Tick>
std::string wait_for_stop(const sigset_t& signals, base::LogLevel configured, base::Log& log,
                          const Tick& tick) {
  const timespec second{.tv_sec = kTick.count(), .tv_nsec = 0};
  try {
    for (;;) {
      const int signal = sigtimedwait(&signals, nullptr, &second);
      if (signal == SIGTERM || signal == SIGINT) return {};
      if (signal == SIGUSR1 || signal == SIGUSR2) change_log_level(signal, configured, log);
      fcgi::tell_service_manager("WATCHDOG=1");
      tick();
    }
  } catch (const config::Error& error) {
    return error.what();
  }
}

// Lets requests that have begun be answered; a request that hangs longer than the limit is given up
// with the process.
void drain(fcgi::Worker& worker, const sigset_t& signals, const base::Log& log) {
  worker.stop();
  const timespec step{.tv_sec = 0, .tv_nsec = 50'000'000};
  const base::Stopwatch stopwatch;
  while (!worker.is_idle() && stopwatch.elapsed() < kDrainLimit) {
    sigtimedwait(&signals, nullptr, &step);
  }
  if (!worker.is_idle()) {
    log.error("drain_gave_up", {{"seconds", kDrainLimit.count()}});
    std::_Exit(1);
  }
}

void run(const config::Config& config, const sigset_t& signals) {
  require_listening_socket();
  require_all_read(config);
  // Few arenas: request threads are many and allocate little.
  mallopt(M_ARENA_MAX, 4);

  base::Log log(config.log_level);
  const base::SystemClock clock;
  const identity::KeyRing keys = identity::read_secrets(config.secret_file);

  wordpress::LoginSettings login_settings(config);
  store::Site site(config.table_prefix, {config.home, config.siteurl, config.network.exists}, log);
  const votes::VoteStore votes(config.table_prefix);
  const base::SharedMemory cache_memory(rollups::stats_cache_path(config, config.cache_memory),
                                        std::size_t{config.cache_memory} << kMebibyteShift);
  rollups::StatsCache stats_cache(cache_memory, std::chrono::seconds(config.cache_seconds));
  const base::SharedMemory metrics_memory(config::metrics_segment_path(config),
                                          sizeof(base::MetricsTable));
  auto& metrics_table = metrics_memory.as<base::MetricsTable>();
  base::Metrics metrics(metrics_table, api::request_series());
  base::Workers workers(metrics_memory, metrics_table);
  const rollups::StatsStore stats(config.table_prefix, stats_cache, &metrics);
  const wordpress::SiteReader wp(config.table_prefix);
  const store::SettingsStore settings(config.table_prefix);
  const votes::HeldStore held(config.table_prefix, stats);
  const store::TemplateStore templates(config.table_prefix);
  const std::vector<model::Template> builtin_templates = templates::builtin_templates();
  const db::Endpoint endpoint = db::endpoint_of(config.database, kReaderTimeout);
  const db::Endpoint transfer_endpoint = db::with_timeout(endpoint, kTransferTimeout);
  Caretaker caretaker(config, endpoint, log, clock, login_settings, site, votes);
  caretaker.tick();

  // One session writes, one is the refresher's, the others read.
  const unsigned readers = config.db_sessions - 2;
  db::Pool sessions(db::bounded(endpoint, kReaderTimeout), readers);
  votes::RatingLoader own_ratings(sessions, readers, config.table_prefix);
  // Two more while analytics are asked for: lists of long periods must hold up neither short reads
  // nor, as no more than one of them is made at a time, other analytics.
  db::Pool analytics_sessions(db::bounded(endpoint, kAnalyticsTimeout), 2);
  base::Semaphore long_analyses({.inside = 1, .waiting = 8, .patience = kAnalyticsPatience});
  const analytics::Analytics analytics(config);
  api::AnswerCache analytics_answers;
  db::Endpoint writer_endpoint = db::with_timeout(endpoint, kWriterTimeout);
  writer_endpoint.idle_transaction_timeout = kWriterIdleTimeout;
  votes::VoteWriter vote_writer(std::move(writer_endpoint), config.table_prefix, stats, log,
                                {.batch_limit = config.batch_limit, .metrics = &metrics});
  const wordpress::Users users(config);
  const base::SharedMemory memory(limit::segment_path(config), sizeof(limit::Segment));
  auto& segment = memory.as<limit::Segment>();
  limit::Limiter limiter(segment.limits);
  limit::KnownLogins known_logins(segment.logins);
  limit::LoginGuard login_guard(limiter, known_logins);
  identity::Authenticator authenticator(config, keys, login_settings, users, sessions, login_guard,
                                        log);
  const api::App app{.base_path = config.base_path,
                     .table_prefix = config.table_prefix,
                     .keys = keys,
                     .limiter = limiter,
                     .authenticator = authenticator,
                     .log = log,
                     .logs_requests = config.access_log,
                     .metrics = metrics,
                     .workers = workers,
                     .configured_workers = config.processes,
                     .metrics_networks = config.metrics_networks,
                     .site = site,
                     .sessions = sessions,
                     .vote_writer = vote_writer,
                     .votes = votes,
                     .own_ratings = own_ratings,
                     .stats = stats,
                     .wp = wp,
                     .settings = settings,
                     .held = held,
                     .analytics = analytics,
                     .analytics_sessions = analytics_sessions,
                     .long_analyses = long_analyses,
                     .analytics_answers = analytics_answers,
                     .templates = templates,
                     .builtin_templates = builtin_templates,
                     .transfer_endpoint = transfer_endpoint};

  fcgi::Worker worker(kListener, app, clock);
  const Shown shown{worker, vote_writer, sessions, analytics_sessions};
  join(config, clock, shown, workers, log);
  worker.start(config.threads);
  const fcgi::ListRefreshThread list_refresh_thread(endpoint, config.table_prefix, clock, log);
  log.info("started", {{"version", RATINGD_VERSION}, {"threads", config.threads}});
  fcgi::tell_service_manager("READY=1");
  const std::string complaint = wait_for_stop(signals, config.log_level, log, [&] {
    show(shown, workers);
    caretaker.tick();
  });
  log.info("stopping");
  fcgi::tell_service_manager("STOPPING=1");
  drain(worker, signals, log);
  log.info("stopped");
  if (!complaint.empty()) throw config::Error(complaint);
}

}  // namespace

int main(int argc, char** argv) {
  // At once: what asks for another log level must not end a worker that is starting.
  const sigset_t signals = block_signals();
  try {
    const config::CommandLine line = config::read(argc, argv, {.cms = wordpress::read_wp_config});
    if (line.help) {
      std::fputs(config::help().c_str(), stdout);
    } else if (line.version) {
      std::puts("ratingd " RATINGD_VERSION);
    } else {
      config::require_database(line.config);
      run(line.config, signals);
    }
    return 0;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "ratingd: %s\n", exception.what());
    return 1;
  }
}
