#pragma once

#include <string>
#include <thread>

#include "analytics/list_refresher.h"
#include "base/clock.h"
#include "base/log.h"
#include "db/connection.h"

namespace fcgi {

// A thread that refreshes the materialized lists of the named periods while this object lives. It
// opens a database session for each refresh, every kInterval. The database may be unavailable.
class ListRefreshThread {
 public:
  // "cms", "clock" and "log" must outlive it.
  ListRefreshThread(const db::Endpoint& endpoint, const std::string& table_prefix,
                    const cms::Cms& cms, const base::Clock& clock, const base::Log& log);
  ListRefreshThread(const ListRefreshThread&) = delete;
  ListRefreshThread& operator=(const ListRefreshThread&) = delete;
  // Blocks until the list that is being read is complete.
  ~ListRefreshThread() = default;

 private:
  void run(const std::stop_token& stop);
  void refresh();

  static constexpr std::chrono::seconds kInterval{5};

  const db::Endpoint endpoint_;
  const base::Log& log_;
  analytics::ListRefresher refresher_;  // used by thread_ only
  std::string last_error_;              // repetitions are not logged; used by thread_ only
  std::jthread thread_;
};

}  // namespace fcgi
