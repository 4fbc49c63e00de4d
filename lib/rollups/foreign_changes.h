#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "base/clock.h"
#include "db/connection.h"
#include "rollups/batch_log.h"
#include "rollups/writer_rows.h"
#include "runtime/cache_epoch.h"

namespace rollups {

// DESIGN. Watches for changes of votes and totals that the caches of this host do not know of, so
// that what they hold stays valid while there are none (runtime/cache_epoch.h). Each such change
// changes a row of those who change votes (rollups/writer_rows.h) in its own transaction. So
// check() reads all rows, and compares them with those of its last reading:
//
//   - The row of a writer of this host is the same while the caches have all that it has committed
//     (runtime/cache_epoch.h): not if it died in between, nor if the database has lost a commit.
//   - The row of a writer of another host counts as the same if its log has all batches since
//     (rollups/batch_log.h): the caches forget what these have changed, and only that. Until it
//     is read again, there is nothing to answer with if the database goes away.
//   - The row of writer 0, which stands for imports, deletions, rebuilds and commands, is the same
//     while its numbers are.
//   - The number of rebuilds is the same: a rebuild exchanges all sums at once.
//   - The session is the same, and so is the server. After a failover, the new primary may lack
//     commits that this host has read.
//
// One process of the host does this for all. Another one takes over when the epoch has not been
// confirmed for kTakeover; since it cannot know what was read before, it begins an epoch.
//
// Used by one thread.
class ForeignChanges {
 public:
  static constexpr std::chrono::milliseconds kTakeover{1500};

  // Removes from the caches what others have changed, also what is being read at this moment.
  using Forget = std::function<void(const Changed&)>;

  // "epoch" and "writers" are those of the caches. "clock" must outlive this object.
  ForeignChanges(runtime::CacheEpoch epoch, const runtime::CacheWriters& writers, Forget forget,
                 const base::Clock& clock);

  // Confirms the epoch of the caches, or begins one; called about once a second. Does nothing if
  // another process does it. Errors: as db::Connection; then call end().
  void check(db::Connection& connection);

  // The next check() begins an epoch. If this process watches, what the caches hold is valid for
  // their ttl only until then.
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
  std::optional<runtime::CacheEpoch::State> confirmed_;  // by this object, with "last_"
  Reading last_;
};

}  // namespace rollups
