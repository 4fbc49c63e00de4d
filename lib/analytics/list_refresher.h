#pragma once

#include <chrono>
#include <map>
#include <string>

#include "analytics/calendar.h"
#include "analytics/materialized_lists.h"
#include "analytics/site_analytics.h"
#include "base/clock.h"
#include "db/connection.h"

namespace analytics {

// Keeps the lists of the named periods fresh, for all workers of all hosts: each of them looks, and
// whoever finds something to do first does it under a lock of the server, which goes with its
// session if it dies.
//
// A period is read again when votes came since, at most once in kLeastInterval and for at most
// 1/kShare of the time; at once if its days are no longer those of its name, unless they are those
// of a host whose clock is ahead. After a failure this worker leaves the period alone for as long
// as the longest statement would cost it. Where reading takes next to no time, nothing is kept:
// answers are of the moment then.
//
// Used by one thread.
class ListRefresher {
 public:
  static constexpr std::chrono::seconds kLeastInterval{60};
  static constexpr int kShare = 50;
  static constexpr std::chrono::seconds kLongestStatement{60};

  // What is read faster than this is not worth keeping.
  static constexpr std::chrono::milliseconds kWorthKeeping{50};

  // "clock" must outlive it.
  ListRefresher(const std::string& table_prefix, const base::Clock& clock,
                std::chrono::milliseconds worth_keeping = kWorthKeeping);

  // Refreshes what is due; returns how many periods were read. REQUIRES: the connection's
  // statement_timeout is kLongestStatement. Blocks while it reads. Errors: Conflict - another
  // worker is at it; as db::Connection and RollupStateStore::zone.
  int refresh(db::Connection& connection);

 private:
  using States = std::map<NamedPeriod, MaterializedLists::State>;
  struct Site {
    Calendar calendar;
    std::optional<base::Day> first_day;
  };
  [[nodiscard]] ListQuery question(const Site& site, NamedPeriod period) const;
  [[nodiscard]] bool is_due(const States& states, const ListQuery& question) const;
  bool refresh(db::Connection& connection, const ListQuery& question, const States& states,
               std::optional<base::Day> first_day);
  [[nodiscard]] std::string changes(db::Connection& connection) const;

  const std::string table_prefix_;
  const base::Clock& clock_;
  const std::chrono::milliseconds worth_keeping_;
  const CalendarStore calendar_;
  const SiteAnalytics site_;
  const MaterializedLists lists_;
  std::map<NamedPeriod, base::Time> not_before_;  // after a failure
};

}  // namespace analytics
