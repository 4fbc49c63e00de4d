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

// DESIGN. Detects changes to votes and totals that other hosts or programs have made, but that are
// missing from this host's caches. If there are no foreign changes, cached data stays valid
// (runtime/shared_cache.h). Each transaction that changes votes also changes a row in the table of
// writers (rollups/writers.h). Each call to check() reads all rows in the table of writers and
// compares them with the rows read by the previous call.
//
// To decide whether anything has changed, check() applies the following rules to the table of
// writers. The row of a writer on this host counts as unchanged if the caches contain all changes
// that the writer has committed (runtime/shared_cache.h). The caches and the database differ if
// the writer process died between its commit and the update of the caches, or if the database has
// lost a commit.
//
// The row of a writer on a different host counts as unchanged if the log contains all of the
// writer's batches since the last check (rollups/writers.h). If all changes are in logged batches,
// check() removes from the caches only the data that these batches have changed. If the database
// goes down before the removed data is cached again, requests for the data fail.
//
// The row of writer 0, which represents imports, deletions, rebuilds and commands, counts as
// unchanged if its numbers have not changed since the last check. If the number of rebuilds has
// changed, all cached data is outdated, because a rebuild replaces all sums at once. If the
// database server or the session has changed, all cached data may be outdated, because after a
// failover, the new primary may lack commits that this host has read.
//
// If anything has changed, check() begins a new cache epoch, which makes all cached data outdated.
// Only one process on each host checks for foreign changes. If no process has confirmed the cache
// epoch for kTakeover milliseconds, a different process begins to check for changes. The new
// process begins a new epoch, because it cannot know which changes occurred before its first check.
//
// The class is not thread-safe.
class ForeignChanges {
 public:
  static constexpr std::chrono::milliseconds kTakeover{1500};

  // This callback removes from this host's caches the data that other hosts have changed. The
  // callback must also prevent reads in progress from putting the old data back into the caches.
  using Forget = std::function<void(const Changed&)>;

  // "epoch" and "writers" refer to the shared memory of the caches. "writers" and "clock" must
  // outlive the ForeignChanges object.
  ForeignChanges(runtime::CacheEpoch epoch, const runtime::CacheWriters& writers, Forget forget,
                 const base::Clock& clock);

  // Confirms the current cache epoch, or begins a new epoch. Call check() about once per second.
  // Does nothing if a different process on this host checks for foreign changes. Throws the same
  // exceptions as db::Connection. If check() throws, the caller must call end().
  void check(db::Connection& connection);

  // Makes the next call to check() begin a new epoch. If this process checks for foreign changes,
  // cached data is valid only for its time to live between end() and the next check().
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
  // The cache epoch's state when this object last confirmed the epoch.
  std::optional<runtime::CacheEpoch::State> confirmed_;
  Reading last_;
};

}  // namespace rollups
