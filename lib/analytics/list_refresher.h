#pragma once

#include <chrono>
#include <map>
#include <string>

#include "analytics/calendar.h"
#include "analytics/materialized_lists.h"
#include "base/clock.h"
#include "db/connection.h"

namespace analytics {

// Refreshes the materialized lists for the named periods, for the workers on all hosts, and makes
// the days of the rollups follow the CMS's time zone (rollups::follow_zone()). Every worker checks
// whether lists are due. The first worker that finds a list due refreshes it under a lock in the
// database server. The lock is released if the session ends.
//
// A period is refreshed if votes have arrived since the last refresh. This happens at most once per
// kLeastInterval and may use at most one kShare-th of the time. If the days of the lists no longer
// match the period's name, the period is refreshed immediately. There is one exception: If a host
// whose clock is ahead has made lists for a later day, these lists are refreshed at the usual time.
// After a failure, this worker skips the period for as long as it would after a refresh that takes
// kLongestStatement. Periods that are fast to read are not materialized; their responses are
// computed on demand.
//
// Used by one thread.
class ListRefresher {
 public:
  static constexpr std::chrono::seconds kLeastInterval{60};
  static constexpr int kShare = 50;
  static constexpr std::chrono::seconds kLongestStatement{60};

  // Periods that are read faster than this are not materialized.
  static constexpr std::chrono::milliseconds kMinCost{50};

  // "cms" and "clock" must outlive this object.
  ListRefresher(const cms::Cms& cms, const base::Clock& clock,
                std::chrono::milliseconds min_cost = kMinCost);

  // Refreshes lists that are due. Returns the number of periods that were read. Blocks while it
  // reads. REQUIRES: the connection's statement_timeout is kLongestStatement. Errors: as
  // db::Connection and rollups::read_state(). Throws db::Conflict if another worker is refreshing.
  int refresh(db::Connection& connection);

 private:
  using States = std::map<NamedPeriod, ListState>;
  struct Site {
    Calendar calendar;
    std::optional<base::Day> first_day;
  };
  [[nodiscard]] ListQuery query(const Site& site, NamedPeriod period) const;
  [[nodiscard]] bool is_due(const States& states, const ListQuery& query) const;
  bool refresh(db::Connection& connection, const ListQuery& query, const States& states,
               std::optional<base::Day> first_day);
  [[nodiscard]] std::string changes(db::Connection& connection) const;

  const cms::Cms& cms_;
  const base::Clock& clock_;
  const std::chrono::milliseconds min_cost_;
  std::map<NamedPeriod, base::Time> not_before_;  // the time of the next attempt, after a failure
};

}  // namespace analytics
