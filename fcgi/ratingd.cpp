// The FastCGI worker. It serves the listening socket on file descriptor 0, as the FastCGI
// specification has it; systemd or spawn-fcgi starts it and puts it in the background.

#include <malloc.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/answer_cache.h"
#include "api/app.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/shared_memory.h"
#include "config/config.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "db/pool.h"
#include "fcgi/list_keeper.h"
#include "fcgi/service_manager.h"
#include "fcgi/worker.h"
#include "identity/authenticator.h"
#include "identity/secrets.h"
#include "identity/wp_site.h"
#include "limit/segment.h"
#include "ratings/builtin_templates.h"
#include "store/site.h"
#include "store/state_store.h"
#include "store/stats_store.h"
#include "store/vote_writer.h"

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

// The rule of the threads: a kept connection of the web server holds a thread even while it is
// idle, so there must be clearly more threads than such connections.
void warn_if_starving(const config::Config& config, const base::Log& log) {
  const unsigned threads = config.processes * config.threads;
  if (threads * 2 >= config.nginx_connections * 3) return;
  log.warning("too_few_threads", {{"processes", config.processes},
                                  {"threads_each", config.threads},
                                  {"nginx_connections", config.nginx_connections},
                                  {"advice",
                                   "processes times threads must be at least one and a half times "
                                   "nginx's worker processes times keepalive"}});
}

// What the main thread does while the others serve.
class Caretaker {
 public:
  Caretaker(const config::Config& config, const base::Log& log, const base::Clock& clock,
            identity::WpSite& wp_site, store::Site& site, const store::VoteStore& votes)
      : config_(config),
        log_(log),
        clock_(clock),
        wp_site_(wp_site),
        site_(site),
        votes_(votes),
        state_(config.table_prefix),
        sessions_(db::endpoint_of(config.database, kReaderTimeout), 1) {}

  // Looks at the database again. Throws config::Error if its tables are not for this program.
  void tick() {
    try {
      sessions_.with_session([&](db::Connection& connection) { look(connection); });
      if (away_) log_.info("database_back");
      away_ = false;
    } catch (const db::Conflict& conflict) {
      log_.debug("caretaker_waits", {{"what", conflict.what()}});  // the next tick tries again
    } catch (const db::Failure& failure) {
      if (!away_) log_.warning("database_away", {{"what", failure.what()}});
      away_ = true;
    }
  }

 private:
  void look(db::Connection& connection) {
    if (!checked_) {
      const int version = db::schema_version(connection, config_.table_prefix);
      if (!db::can_run_on(version)) throw config::Error(db::advice_for(version));
      static_cast<void>(state_.zone(connection));  // throws if an interrupted migration left none
      checked_ = true;
    }
    // Each by itself: what one of them cannot read must not keep the other old.
    refresh("settings", [&] { site_.refresh(connection); });
    refresh("logins", [&] { wp_site_.refresh(connection); });
    if (site_.state() == nullptr) return;
    if (site_.state()->origins.empty() && !warned_) {
      log_.warning("no_origin", {{"advice",
                                  "the options home and siteurl hold no address that browsers "
                                  "would send as an origin; give --wp-home"}});
      warned_ = true;
    }
    votes_.drop_old_fingerprints(connection, clock_.now() - site_.state()->settings.address_window);
    votes_.drop_old_counters(connection, clock_.now() - kCounterGrace);
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
  identity::WpSite& wp_site_;
  store::Site& site_;
  const store::VoteStore& votes_;
  const store::StateStore state_;
  db::Pool sessions_;
  bool checked_ = false;
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
// takes an interrupted read for the end of the connection. Returns those that ask to stop.
sigset_t block_signals() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&blocked, crash);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  return stop;
}

// Runs the caretaker each second until a signal asks to stop.
void wait_for_stop(const sigset_t& signals, Caretaker& caretaker) {
  const timespec tick{.tv_sec = kTick.count(), .tv_nsec = 0};
  while (sigtimedwait(&signals, nullptr, &tick) < 0) {
    fcgi::tell_service_manager("WATCHDOG=1");
    caretaker.tick();
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

void run(const config::Config& config) {
  require_listening_socket();
  require_all_read(config);
  const sigset_t signals = block_signals();
  // Few arenas: request threads are many and allocate little.
  mallopt(M_ARENA_MAX, 4);

  const base::Log log(config.log_level);
  const base::SystemClock clock;
  const identity::KeyRing keys = identity::read_secrets(config.secret_file);
  warn_if_starving(config, log);

  identity::WpSite wp_site(config);
  store::Site site(config.table_prefix, {config.home, config.siteurl}, log);
  const store::VoteStore votes(config.table_prefix);
  const base::SharedMemory cache_memory(store::stats_segment_name(config, config.cache_memory),
                                        std::size_t{config.cache_memory} << kMebibyteShift);
  store::StatsCache stats_cache(cache_memory, std::chrono::seconds(config.cache_seconds));
  const store::StatsStore stats(config.table_prefix, stats_cache);
  const store::WpStore wp(config.table_prefix);
  const store::SettingsStore settings(config.table_prefix);
  const store::HeldStore held(config.table_prefix, stats);
  const store::TemplateStore templates(config.table_prefix);
  const std::vector<model::Template> builtin_templates = ratings::builtin_templates();
  const db::Endpoint transfer_endpoint = db::endpoint_of(config.database, kTransferTimeout);
  Caretaker caretaker(config, log, clock, wp_site, site, votes);
  caretaker.tick();

  // One session writes, one is the caretaker's, the others read.
  db::Pool sessions(db::bounded_endpoint_of(config.database, kReaderTimeout),
                    config.db_sessions - 2);
  // Two more while analytics are asked for: lists of long periods must hold up neither short reads
  // nor, as no more than one of them is made at a time, other analytics.
  db::Pool analytics_sessions(db::bounded_endpoint_of(config.database, kAnalyticsTimeout), 2);
  base::Gate long_analyses({.inside = 1, .waiting = 8, .patience = kAnalyticsPatience});
  const store::AnalyticsStore analytics(config);
  api::AnswerCache analytics_answers;
  db::Endpoint writer_endpoint = db::endpoint_of(config.database, kWriterTimeout);
  writer_endpoint.idle_transaction_timeout = kWriterIdleTimeout;
  store::VoteWriter vote_writer(std::move(writer_endpoint), config.table_prefix, stats, log,
                                {.batch_limit = config.batch_limit});
  const store::WpUsers users(config);
  const base::SharedMemory memory(limit::segment_name(config), sizeof(limit::Segment));
  auto& segment = memory.as<limit::Segment>();
  limit::Limiter limiter(segment.limits);
  limit::KnownLogins known_logins(segment.logins);
  limit::LoginGuard login_guard(limiter, known_logins);
  identity::Authenticator authenticator(config, keys, wp_site, users, sessions, login_guard, log);
  const api::App app{.base_path = config.base_path,
                     .table_prefix = config.table_prefix,
                     .keys = keys,
                     .limiter = limiter,
                     .authenticator = authenticator,
                     .log = log,
                     .site = site,
                     .sessions = sessions,
                     .vote_writer = vote_writer,
                     .votes = votes,
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
  worker.start(config.threads);
  const fcgi::ListKeeper list_keeper(config, clock, log);
  log.info("started", {{"version", RATINGD_VERSION}, {"threads", config.threads}});
  fcgi::tell_service_manager("READY=1");
  wait_for_stop(signals, caretaker);
  log.info("stopping");
  fcgi::tell_service_manager("STOPPING=1");
  drain(worker, signals, log);
  log.info("stopped");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const config::CommandLine line = config::read(argc, argv);
    if (line.help) {
      std::fputs(config::help().c_str(), stdout);
    } else if (line.version) {
      std::puts("ratingd " RATINGD_VERSION);
    } else {
      config::require_database(line.config);
      run(line.config);
    }
    return 0;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "ratingd: %s\n", exception.what());
    return 1;
  }
}
