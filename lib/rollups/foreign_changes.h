#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "base/clock.h"
#include "db/connection.h"
#include "rollups/writers.h"
#include "runtime/shared_cache.h"

namespace rollups {

// DESIGN. Watches for foreign changes. These are changes to votes and totals that other hosts or
// programs have made and that the caches on this host do not contain. As long as there are no
// foreign changes, the caches' content stays valid (runtime/shared_cache.h). Each transaction with
// such a change also changes a row in the table of writers (rollups/writers.h). So check() reads
// all rows in this table and compares them with the rows from its last reading. These rules tell
// whether anything has changed:
//
//   - A writer's row on this host counts as unchanged while the caches contain all changes that the
//     writer has committed (runtime/shared_cache.h). The caches lack changes if the writer died
//     between its commit and the cache update, or if the database has lost a commit.
//   - A writer's row on another host counts as unchanged if its log contains all batches since the
//     last reading (rollups/writers.h). The caches forget only the data that these batches changed.
//     Until the forgotten data are read again, the caches cannot provide them while the database is
//     unavailable.
//   - The row of writer 0, which stands for imports, deletions, rebuilds and commands, counts as
//     unchanged while its numbers are unchanged.
//   - The number of rebuilds must be the same, because a rebuild exchanges all sums at once.
//   - The session and the server must be the same, because after a failover, the new primary may
//     lack commits that this host has read.
//
// If anything has changed, check() begins a new epoch. One process on the host watches for all of
// the host's processes. Another process takes over if the epoch has not been confirmed for
// kTakeover. The new process does not know the rows from the last reading, so it begins an epoch.
//
// Must be used by only one thread.
class ForeignChanges {
 public:
  static constexpr std::chrono::milliseconds kTakeover{1500};

  // Removes the data that other hosts have changed from the caches. Reads that are in progress must
  // not store the old data again.
  using Forget = std::function<void(const Changed&)>;

  // "epoch" and "writers" belong to the caches. "clock" must outlive this object.
  ForeignChanges(runtime::CacheEpoch epoch, const runtime::CacheWriters& writers, Forget forget,
                 const base::Clock& clock);

  // Confirms the caches' epoch, or begins an epoch. Must be called about once a second. Does
  // nothing if another process watches. Errors: same as db::Connection. After an error, call end().
  void check(db::Connection& connection);

  // Makes the next check() begin an epoch. If this process watches, cached data are valid only for
  // their time to live until then.
  void end();

 private:
  struct Reading {
    std::uint64_t server = 0, session = 0;
    std::int64_t rebuilds = 0;
    std::map<std::uint64_t, WriterRow> rows{};
    bool operator==(const Reading&) const = default;
  };

  [[nodiscard]] Reading read(db::Connection& connection) const;
  [[nodiscard]] std::optional<Changed> changes_since_last(db::Connection& connection,
                                                          const Reading& reading) const;
  void leave_out_published(Reading& reading,
                           const std::map<std::uint64_t, std::uint64_t>& before) const;

  runtime::CacheEpoch epoch_;
  const runtime::CacheWriters& writers_;
  const Forget forget_;
  const base::Clock& clock_;
  // The state that this object has confirmed after it read "last_".
  std::optional<runtime::CacheEpoch::State> confirmed_;
  Reading last_;
};

}  // namespace rollups
