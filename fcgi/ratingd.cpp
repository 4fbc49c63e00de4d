// The FastCGI worker. Without the "listen" option, the worker uses the listening socket that
// systemd or spawn-fcgi passes as file descriptor 0 (FastCGI specification). With the "listen"
// option, the worker opens its own socket.

#include <malloc.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/adapters.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "config/command_line.h"
#include "fcgi/listener.h"
#include "fcgi/service.h"
#include "fcgi/signals.h"
#include "fcgi/sites.h"
#include "fcgi/worker.h"
#include "runtime/log.h"

namespace {

constexpr std::chrono::seconds kTick{1};
constexpr std::chrono::seconds kDrainLimit{30};
constexpr std::chrono::seconds kListLimit{1};

base::Descriptor listener_of(const config::Config& config) {
  if (config.listen.empty()) return fcgi::inherited_listener();
  return fcgi::open_listener(config.listen, config.listen_mode);
}

// Throws config::Error if ratingd cannot read some values in the CMS's configuration because they
// are computed by PHP code. Without the CMS's cookie key, for example, the cookies of the CMS's
// users would look forged.
void require_all_read(const config::Config& config) {
  if (!config.not_read.empty()) throw config::Error(base::joined(config.not_read, "\n"));
}

// Sends "state", such as "READY=1", to the service manager (sd_notify(3)). The message is sent as a
// datagram to the socket named in the NOTIFY_SOCKET environment variable. Does nothing if
// NOTIFY_SOCKET is not set. Errors are ignored because the service manager detects missing
// notifications itself.
void notify_service_manager(std::string_view state) {
  const char* const name = std::getenv("NOTIFY_SOCKET");
  const std::string_view path = name == nullptr ? "" : name;
  sockaddr_un address{};
  const bool is_sound = path.size() > 1 && path.size() < sizeof address.sun_path &&
                        (path.front() == '/' || path.front() == '@');
  if (!is_sound) return;
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  if (path.front() == '@') address.sun_path[0] = '\0';  // abstract namespace
  const base::Descriptor manager(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  static_cast<void>(sendto(manager.number(), state.data(), state.size(), MSG_NOSIGNAL,
                           reinterpret_cast<const sockaddr*>(&address), length));
}

// SIGUSR1 sets the log level to debug. SIGUSR2 restores the configured log level.
void change_log_level(int signal, runtime::LogLevel configured, runtime::Log& log) {
  const bool is_all = signal == SIGUSR1;
  log.set_least(runtime::LogLevel::info);
  log.info("log_level_changed", {{"level", is_all ? "debug" : "configured"}});
  log.set_least(is_all ? runtime::LogLevel::debug : configured);
}

// Calls "tick" every second until a signal requests a stop. Also returns if the version of the
// tables changes, because the worker must not write to tables with an unknown version. Returns an
// empty string if a signal requested the stop, and otherwise the error message about the tables.
template <typename Tick>
std::string wait_for_stop(const fcgi::Signals& signals, runtime::LogLevel configured,
                          runtime::Log& log, const Tick& tick) {
  try {
    for (;;) {
      const int signal = signals.wait_for(kTick).value_or(0);
      if (signal == SIGTERM || signal == SIGINT) return {};
      if (signal == SIGUSR1 || signal == SIGUSR2) change_log_level(signal, configured, log);
      notify_service_manager("WATCHDOG=1");
      tick();
    }
  } catch (const config::Error& error) {
    return error.what();
  }
}

// Waits for running requests to finish. A request that takes longer than kDrainLimit is aborted
// when the process ends.
void drain(fcgi::Worker& worker, const runtime::Log& log) {
  if (worker.drain(kDrainLimit)) return;
  log.error("drain_timed_out", {{"seconds", kDrainLimit.count()}});
  std::_Exit(1);
}

// Reads the site's state for the first time. If this worker cannot use the database but other
// workers seem able to, retries a few times, because the other workers may notice an outage up to a
// second later. Returns false if a signal requests a stop.
bool start_refreshing(fcgi::Sites& sites, const fcgi::Signals& signals) {
  constexpr int kAttempts = 4;
  const fcgi::Refresher& refresher = sites.first().refresher();
  sites.refresh();
  for (int attempt = 1; attempt < kAttempts && refresher.lacks_contact(); ++attempt) {
    const int signal = signals.wait_for(kTick).value_or(0);
    if (signal == SIGTERM || signal == SIGINT) return false;
    sites.refresh();
  }
  refresher.require_contact();
  return true;
}

constexpr const char* kHelp =
    R"(ratingd is a worker that answers votes and live vote counts behind nginx.
"ratingctl setup" configures it, and systemd starts it.

Example, without systemd:
  ratingd --config /etc/ratingd/ratingd.conf --listen /run/ratingd/ratingd.sock

Usage: ratingd [OPTION ...]

  --config FILE            read options from this file
  --db-host HOST           use this database server
  --db-name NAME           use this database
  --db-user NAME           use this database account
  --db-password-file FILE  read the account's password from this file
  --listen ADDRESS         listen on this Unix socket, or on this IP address and
                           port (default: the socket on standard input)
  --threads NUMBER         run so many threads that may wait for the database
  --log-level LEVEL        log from this level: debug, info, warning or error
  --help, --version        print help or the version

All options: ratingd --help options, man ratingd.conf
)";

std::string help(const std::vector<std::string>& arguments) {
  return arguments == std::vector<std::string>{"options"} ? config::options_help() : kHelp;
}

void report(std::string_view error) {
  runtime::write_to_stderr(runtime::LogLevel::error, "ratingd: " + base::printable_lines(error));
}

// Returns the exit status.
int run(const config::Config& config, const fcgi::Signals& signals) {
  const base::Descriptor listener = listener_of(config);
  require_all_read(config);
  // Each of the many request threads allocates little memory, so a few malloc arenas are enough.
  mallopt(M_ARENA_MAX, 4);

  runtime::Log log(config.log_level);
  const base::SystemClock clock;
  fcgi::SharedResources shared(config, clock, log);
  fcgi::Sites sites(shared);
  if (!start_refreshing(sites, signals)) return 0;
  fcgi::Worker worker(listener.number(), sites, clock);
  worker.join(shared.workers);
  shared.workers.show(runtime::Gauge::configuration, config::configuration_hash_of(config));
  worker.start(config.threads);
  worker.publish(shared.workers);
  fcgi::ListRefreshThread lists(shared, sites);
  log.info("worker_started", {{"version", RATINGD_VERSION}, {"threads", config.threads}});
  notify_service_manager("READY=1");

  const std::string error = wait_for_stop(signals, config.log_level, log, [&] {
    worker.publish(shared.workers);
    sites.refresh();
  });
  log.info("worker_stopping");
  notify_service_manager("STOPPING=1");
  drain(worker, log);
  const bool has_ended = lists.stop(kListLimit);
  log.info("worker_stopped");
  const int status = error.empty() ? 0 : 1;
  if (status != 0) report(error);
  // Do not wait for a list refresh, which may take a minute, because another worker repeats the
  // refresh after this process has ended.
  if (!has_ended) std::_Exit(status);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // Block the signals before anything else, because SIGUSR1 or SIGUSR2 would otherwise kill a
  // worker that is still starting.
  const fcgi::Signals signals;
  base::open_standard_streams();
  try {
    const config::CommandLine line = config::read(argc, argv, {.cms = adapters::read_cms_config});
    if (line.help) {
      std::fputs(help(line.arguments).c_str(), stdout);
    } else if (line.version) {
      std::puts("ratingd " RATINGD_VERSION);
    } else {
      config::require_database(line.config);
      return run(line.config, signals);
    }
    return 0;
  } catch (const std::exception& exception) {
    report(exception.what());
    return 1;
  }
}
