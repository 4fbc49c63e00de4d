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

// DESIGN. Detects changes to votes and totals that were made by other hosts or programs and are
// missing in the caches on this host. Without such foreign changes, cached data stay valid
// (runtime/shared_cache.h). Each transaction that changes votes also changes a row in the table of
// writers (rollups/writers.h). So the function check() reads all rows in the table of writers and
// compares them with the rows from its last call.
//
// The following rules decide whether anything has changed. The row of a writer on this host counts
// as unchanged while the caches contain all changes that the writer has committed
// (runtime/shared_cache.h). Changes are missing in the caches if the writer died between its commit
// and the cache update, or if the database has lost a commit.
//
// The row of a writer on another host counts as unchanged if the writer's log contains all batches
// since the last check (rollups/writers.h). Only the data that the logged batches have changed are
// removed from the caches. If the database becomes unavailable, the removed data are unavailable,
// too.
//
// The row of writer 0, which represents imports, deletions, rebuilds and commands, counts as
// unchanged while its numbers are unchanged. The number of rebuilds must be unchanged, because a
// rebuild replaces all sums at once. The database session and server must be unchanged, because
// after a failover, the new primary may lack commits that this host has read.
//
// If anything has changed, the function check() begins a new cache epoch. Only one process on a
// host checks for changes. A different process takes over if the epoch was not confirmed during the
// time kTakeover. The new process begins a new epoch because it has no rows from an earlier check.
//
// The class is not thread-safe.
class ForeignChanges {
 public:
  static constexpr std::chrono::milliseconds kTakeover{1500};

  // A callback that removes the data that other hosts have changed from the caches. Reads that are
  // in progress must not store the old data again.
  using Forget = std::function<void(const Changed&)>;

  // "epoch" and "writers" are the parts of the shared caches. "writers" and "clock" must outlive
  // this object.
  ForeignChanges(runtime::CacheEpoch epoch, const runtime::CacheWriters& writers, Forget forget,
                 const base::Clock& clock);

  // Confirms the current cache epoch, or begins a new epoch. Must be called about once a second.
  // Does nothing if a different process checks for changes. Throws the same exceptions as
  // db::Connection. After an error, the caller must call end().
  void check(db::Connection& connection);

  // Causes the next call of check() to begin a new epoch. If this process checks for changes,
  // cached data are valid only for their time to live until the new epoch begins.
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
  // The cache state that this object confirmed after it had read the rows in "last_".
  std::optional<runtime::CacheEpoch::State> confirmed_;
  Reading last_;
};

}  // namespace rollups
