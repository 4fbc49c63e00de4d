#include "fcgi/list_refresh_thread.h"

#include <condition_variable>
#include <mutex>

#include "base/memory.h"
#include "base/stopwatch.h"
#include "db/endpoint.h"

namespace fcgi {

ListRefreshThread::ListRefreshThread(const db::Endpoint& endpoint, const std::string& table_prefix,
                                     const cms::Cms& cms, const base::Clock& clock,
                                     const base::Log& log)
    : endpoint_(db::bounded(endpoint, analytics::ListRefresher::kLongestStatement)),
      log_(log),
      refresher_(table_prefix, cms, clock),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ListRefreshThread::run(const std::stop_token& stop) {
  std::mutex mutex;  // of this thread alone, for the condition
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    try {
      refresh();
      last_error_.clear();
    } catch (const db::Conflict&) {
      // Another worker is refreshing.
    } catch (const std::exception& exception) {
      // The refresher logs what there is to do; without lists, answers are computed.
      if (last_error_ != exception.what()) {
        log_.warning("list_refresh_failed", {{"error", exception.what()}});
      }
      last_error_ = exception.what();
    }
    stopped.wait_for(lock, stop, kInterval, [] { return false; });
  }
}

void ListRefreshThread::refresh() {
  const base::Stopwatch stopwatch;
  db::Connection connection(endpoint_);
  const int refreshed = refresher_.refresh(connection);
  if (refreshed == 0) return;
  base::give_back_memory();
  log_.debug("lists_refreshed",
             {{"periods", refreshed}, {"milliseconds", stopwatch.elapsed().count()}});
}

}  // namespace fcgi
