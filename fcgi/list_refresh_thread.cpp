#include "fcgi/list_refresh_thread.h"

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
      thread_([this] { run(); }) {}

ListRefreshThread::~ListRefreshThread() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_one();
  thread_.join();
}

void ListRefreshThread::run() {
  do {
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
  } while (wait());
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

// False if the thread must stop.
bool ListRefreshThread::wait() {
  const base::MutexLock lock(mutex_);
  if (!stopping_) stopped_.wait_for(mutex_, kInterval);
  return !stopping_;
}

}  // namespace fcgi
