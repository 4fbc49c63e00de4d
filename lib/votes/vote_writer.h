#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/stopwatch.h"
#include "db/connection.h"
#include "rollups/stats_store.h"
#include "votes/burst_watch.h"
#include "votes/held_store.h"
#include "votes/vote_batch.h"
#include "votes/vote_request.h"

namespace votes {

enum class WriteError {
  unavailable,  // the database is away, busy, or the outcome is unknown; repeating is safe
  queue_full,   // too many votes are waiting, or those that do get nowhere; repeating is safe
  failed,       // the database refuses this vote request; the log says why
};

// DESIGN. Many votes, one commit. Request threads put their vote requests into a bounded queue and
// sleep; one thread takes all that are waiting, up to a limit, and writes them in one transaction.
// While a commit runs, the next batch gathers, so there is no added delay and no timer. (The scheme
// is that of LevelDB's DBImpl::Write; a thread of its own takes the place of a leader among the
// waiters, so that no request is held longer than its patience by the writing for others.)
//
// A conflict repeats the batch. A batch that is held up or has a bad vote request is halved, so
// that the others get through; what nobody waits for any more is dropped before each attempt, and
// in the transaction once its voter is locked. So is what was asked too long ago: while a worker
// stood still, its web server may have asked another one, and the voter may have changed the vote
// since. When the connection is lost, the writer's sequence row, locked, tells on a new connection
// whether the batch was committed; if not, it is written again. The totals in the results are read
// after the commit, and so are in the cache of the host before anybody is answered; if they cannot
// be had, the votes are stored, but nobody is told so. Votes that were counted before their burst
// could be told are held after the commit, when nobody waits for it any more.
//
// While the database stands, only a few vote requests may wait to find out when it is back; others
// are refused at once, so that they do not hold all threads.
//
// Safe for concurrent use.
class VoteWriter {
 public:
  struct Options {
    std::size_t batch_limit = 64;                 // vote requests in one transaction: 1 ... 64
    std::size_t queue_limit = 1024;               // vote requests that may wait
    std::chrono::milliseconds patience{1800};     // how long a vote request may wait for its commit
    std::chrono::milliseconds stuck_after{1500};  // of writing one batch
    base::Metrics* metrics = nullptr;             // where it counts; nullptr: nowhere
  };

  // Connects when the first vote request comes. "stats", "log" and the metrics must outlive the
  // writer.
  VoteWriter(db::Endpoint endpoint, const std::string& table_prefix,
             const rollups::StatsStore& stats, const base::Log& log, const Options& options);
  VoteWriter(const VoteWriter&) = delete;
  VoteWriter& operator=(const VoteWriter&) = delete;
  // Writes what is still waiting. REQUIRES: no call of write() is under way.
  ~VoteWriter();

  // Stores "vote request" and updates all rollups in the same transaction, or says in the result
  // which of its rules refuses it. Returns once it is on disk. Repeating a call for the same voter
  // is safe: it cannot count a vote twice. Blocks for at most the patience.
  tl::expected<VoteResult, WriteError> write(VoteRequest request);

  // The same for several vote requests, each with its own outcome.
  std::vector<tl::expected<VoteResult, WriteError>> write_all(std::vector<VoteRequest> requests);

  // Whether a vote request that came now would be let wait.
  [[nodiscard]] bool has_room() const;

  // How many vote requests wait to be taken into a batch.
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t queue_limit() const { return options_.queue_limit; }

 private:
  using Outcome = tl::expected<VoteResult, WriteError>;

  // A vote request on its way. Shared between the thread that waits for it, which may give up, and
  // the batch that carries it. All but the vote request is guarded by the writer's mutex.
  struct Ticket {
    explicit Ticket(VoteRequest cast) : request(std::move(cast)) {}

    const VoteRequest request;
    bool abandoned = false;  // nobody waits for it, or it came too late
    std::optional<Outcome> outcome;
    base::Condition settled;
  };
  using Tickets = std::vector<std::shared_ptr<Ticket>>;

  // How an attempt to write a batch ended.
  enum class BatchResult {
    committed,
    blocked,      // other transactions stayed in the way of some vote request
    bad_data,     // some vote request does not fit its columns
    unavailable,  // the database is away, or nobody can say whether it has the batch
    failed,       // it has another reason, which the log says
  };

  bool enqueue(const Tickets& tickets);
  [[nodiscard]] std::size_t room() const REQUIRES_LOCK(mutex_);
  void run();
  Tickets next_batch();
  void write_batch(const Tickets& tickets);
  BatchResult try_batch(const Tickets& tickets, std::vector<VoteResult>& results);
  Tickets still_wanted(const Tickets& tickets);
  bool is_wanted(Ticket& ticket) REQUIRES_LOCK(mutex_);
  std::optional<bool> was_committed(std::uint64_t sequence);
  bool add_stats(const Tickets& tickets, std::vector<VoteResult>& results);
  void hold_counted(base::Time now);
  bool connect();
  void note(BatchResult fate);
  [[nodiscard]] bool is_stuck() const REQUIRES_LOCK(mutex_);
  void settle(const Tickets& tickets, const std::vector<Outcome>& outcomes);
  void count(base::Count what, std::size_t number = 1) const;
  void count_outcome(const Outcome& outcome) const;

  const db::Endpoint endpoint_;
  const VoteStatements statements_;
  const HeldStore held_;
  const rollups::StatsStore& stats_;
  const base::Log& log_;
  const Options options_;
  const WriterId writer_;

  mutable base::Mutex mutex_;
  base::Condition work_;
  std::deque<std::shared_ptr<Ticket>> queue_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::optional<base::Stopwatch> writing_ GUARDED_BY(mutex_);  // of the batch that is being written
  std::optional<base::Stopwatch> stuck_
      GUARDED_BY(mutex_);  // since vote requests were tried for nothing

  // Of the writing thread alone.
  std::unique_ptr<db::Connection> connection_;
  BurstWatch watch_;
  bool is_away_ = false;
  bool is_full_ = false;
  std::uint64_t sequence_ = 0;

  std::thread thread_;  // last: runs when all else is there
};

}  // namespace votes
