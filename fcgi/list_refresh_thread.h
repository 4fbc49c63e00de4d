#pragma once

#include <string>
#include <thread>

#include "analytics/list_refresher.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "db/connection.h"

namespace fcgi {

// A thread that has the lists of the named periods refreshed while this object lives. It has a
// session of the database only while it looks, at least each kPause. The database may be away.
class ListRefreshThread {
 public:
  // "clock" and "log" must outlive it.
  ListRefreshThread(const db::Endpoint& endpoint, const std::string& table_prefix,
                    const base::Clock& clock, const base::Log& log);
  ListRefreshThread(const ListRefreshThread&) = delete;
  ListRefreshThread& operator=(const ListRefreshThread&) = delete;
  // Waits for a list that is being read.
  ~ListRefreshThread();

 private:
  void run();
  void look();
  bool wait();

  static constexpr std::chrono::seconds kPause{5};

  const db::Endpoint endpoint_;
  const base::Log& log_;
  analytics::ListRefresher refresher_;  // of the thread alone
  std::string complaint_;               // the last, to be said once; of the thread alone
  base::Mutex mutex_;
  base::Condition stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace fcgi
