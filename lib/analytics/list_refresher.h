#pragma once

#include <chrono>
#include <map>
#include <string>

#include "analytics/calendar.h"
#include "analytics/materialized_lists.h"
#include "base/clock.h"
#include "db/connection.h"

namespace analytics {

// Refreshes the materialized lists of the named periods for all workers of all hosts, and lets the
// days of the rollups follow the time zone of the CMS (rollups::follow_zone()). Every worker
// checks; the first that finds a list due refreshes it under a lock of the database server, which
// is released if the session ends.
//
// A period is refreshed if votes have arrived since, at most once per kLeastInterval and for at
// most one kShare-th of the time; immediately if its days no longer match its name, unless they are
// those of a host whose clock is ahead. After a failure this worker skips the period for as long as
// the longest statement would have to wait. Periods that are fast to read are not materialized:
// their answers are computed on demand.
//
// Used by one thread.
class ListRefresher {
 public:
  static constexpr std::chrono::seconds kLeastInterval{60};
  static constexpr int kShare = 50;
  static constexpr std::chrono::seconds kLongestStatement{60};

  // Periods that are read faster than this are not materialized.
  static constexpr std::chrono::milliseconds kMinCost{50};

  // "cms" and "clock" must outlive it.
  ListRefresher(const cms::Cms& cms, const base::Clock& clock,
                std::chrono::milliseconds min_cost = kMinCost);

  // Refreshes lists that are due; returns the number of periods read. REQUIRES: the connection's
  // statement_timeout is kLongestStatement. Blocks while it reads. Errors: Conflict - another
  // worker is refreshing; as db::Connection and rollups::read_state().
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
  std::map<NamedPeriod, base::Time> not_before_;  // after a failure
};

}  // namespace analytics
