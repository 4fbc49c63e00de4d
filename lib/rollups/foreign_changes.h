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

// DESIGN. Watches for foreign changes: changes to votes and totals by other hosts or programs,
// which the caches on this host do not contain. While there are no foreign changes, the content of
// the caches stays valid (runtime/shared_cache.h). Each transaction with such a change also changes
// a row in the table of writers (rollups/writers.h). So check() reads all rows of this table
// and compares them with the rows from its last reading:
//
//   - A writer's row on this host counts as unchanged while the caches contain all changes that the
//     writer has committed (runtime/shared_cache.h). The caches lack changes if the writer died
//     between its commit and the cache update, or if the database has lost a commit.
//   - A writer's row on another host counts as unchanged if its log contains all batches since the
//     last reading (rollups/writers.h). The caches forget the data that these batches changed,
//     and nothing else. Until the forgotten data are read again, the caches cannot answer for them
//     if the database is unavailable.
//   - The row of writer 0, which stands for imports, deletions, rebuilds and commands, counts as
//     unchanged while its numbers are unchanged.
//   - The number of rebuilds is the same. A rebuild exchanges all sums at once.
//   - The session and the server are the same. After a failover, the new primary may lack commits
//     that this host has read.
//
// If anything has changed, check() begins a new epoch. One process on the host watches for all
// processes. Another process takes over when the epoch has not been confirmed for kTakeover. The
// new process cannot know the rows from the last reading, so it begins an epoch.
//
// Used by one thread.
class ForeignChanges {
 public:
  static constexpr std::chrono::milliseconds kTakeover{1500};

  // Removes the given changes by other hosts from the caches. Reads that are in progress must not
  // store the old data again.
  using Forget = std::function<void(const Changed&)>;

  // "epoch" and "writers" belong to the caches. "clock" must outlive this object.
  ForeignChanges(runtime::CacheEpoch epoch, const runtime::CacheWriters& writers, Forget forget,
                 const base::Clock& clock);

  // Confirms the caches' epoch, or begins an epoch. Must be called about once a second. Does
  // nothing if another process watches. Errors: as db::Connection. After an error, call end().
  void check(db::Connection& connection);

  // Makes the next check() begin an epoch. Until then, cached data are valid only for their time to
  // live, if this process watches.
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
  std::optional<runtime::CacheEpoch::State> confirmed_;  // by this object, after it read "last_"
  Reading last_;
};

}  // namespace rollups
