#include "fcgi/list_keeper.h"

#include "base/memory.h"
#include "base/stopwatch.h"
#include "db/endpoint.h"

namespace fcgi {

ListKeeper::ListKeeper(const db::Endpoint& endpoint, const std::string& table_prefix,
                       const base::Clock& clock, const base::Log& log)
    : endpoint_(db::bounded(endpoint, store::ListRefresher::kLongestStatement)),
      log_(log),
      refresher_(table_prefix, clock),
      thread_([this] { run(); }) {}

ListKeeper::~ListKeeper() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_one();
  thread_.join();
}

void ListKeeper::run() {
  do {
    try {
      look();
      complaint_.clear();
    } catch (const db::Conflict&) {
      // Another worker is at it.
    } catch (const std::exception& exception) {
      // The caretaker says what there is to do; without lists, answers are computed.
      if (complaint_ != exception.what()) {
        log_.warning("lists_not_refreshed", {{"what", exception.what()}});
      }
      complaint_ = exception.what();
    }
  } while (wait());
}

void ListKeeper::look() {
  const base::Stopwatch stopwatch;
  db::Connection connection(endpoint_);
  const int refreshed = refresher_.look(connection);
  if (refreshed == 0) return;
  base::give_back_memory();
  log_.debug("lists_refreshed",
             {{"periods", refreshed}, {"milliseconds", stopwatch.elapsed().count()}});
}

// False when it is time to stop.
bool ListKeeper::wait() {
  const base::MutexLock lock(mutex_);
  if (!stopping_) stopped_.wait_for(mutex_, kPause);
  return !stopping_;
}

}  // namespace fcgi
