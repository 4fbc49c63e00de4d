#include "fcgi/gauges.h"

#include <chrono>

namespace fcgi {

using base::Gauge;

Gauges::Gauges(base::Workers& workers, const Worker& worker, const api::App& app)
    : workers_(workers), worker_(worker), app_(app) {
  if (workers_.join()) return;
  app_.log.warning("worker_slots_exhausted",
                   {{"advice",
                     "as many workers as can be shown run already; this one serves, "
                     "and counts, but /metrics does not show it"}});
}

void Gauges::set_constants(const config::Config& config, const base::Clock& clock) {
  const auto started = std::chrono::floor<std::chrono::seconds>(clock.now()).time_since_epoch();
  workers_.show(Gauge::started_at, static_cast<std::uint64_t>(started.count()));
  workers_.show(Gauge::threads, config.threads);
  workers_.show(Gauge::queue_limit, app_.vote_writer.queue_limit());
  workers_.show(Gauge::processes, config.processes);
}

void Gauges::update() {
  workers_.show(Gauge::threads_busy, worker_.busy());
  workers_.show(Gauge::queue, app_.vote_writer.waiting());
  workers_.show(Gauge::unanswered_votes, worker_.unanswered_votes());
  workers_.show(Gauge::disk_full, app_.vote_writer.is_disk_full() ? 1 : 0);
  const auto reads = app_.sessions.sessions();
  workers_.show(Gauge::sessions_busy, reads.busy);
  workers_.show(Gauge::sessions_idle, reads.idle);
  const auto analytics = app_.analytics_sessions.sessions();
  workers_.show(Gauge::analytics_sessions_busy, analytics.busy);
  workers_.show(Gauge::analytics_sessions_idle, analytics.idle);
}

}  // namespace fcgi
