#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "db/connection.h"
#include "rollups/stats_store.h"
#include "votes/burst_watch.h"
#include "votes/held_store.h"
#include "votes/vote_batch.h"
#include "votes/vote_queue.h"
#include "votes/vote_request.h"

namespace votes {

// DESIGN. Many votes, one commit. Request threads put their vote requests into a bounded queue
// (votes/vote_queue.h) and sleep; one thread takes all that are waiting, up to a limit, and writes
// them in one transaction. While a commit runs, the next batch gathers, so there is no added delay
// and no timer. (The scheme is that of LevelDB's DBImpl::Write; a thread of its own takes the place
// of a leader among the waiters, so that no request is held longer than its patience by the writing
// for others.)
//
// A conflict repeats the batch. A batch that is blocked or has a bad vote request is halved, so
// that the others get through; what is not wanted any more is dropped before each attempt, and in
// the transaction once its voter is locked. When the connection is lost, the writer's sequence row,
// locked, tells on a new connection whether the batch was committed; if not, it is written again.
// The totals in the results are read after the commit, and so are in the cache of the host before
// anybody is answered; if they cannot be had, the votes are stored, but nobody is told so. Votes
// that were counted before their burst could be told are held after the commit, when nobody waits
// for it any more.
//
// Safe for concurrent use.
class VoteWriter {
 public:
  using Options = VoteQueue::Options;

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
  [[nodiscard]] bool has_room() const { return queue_.has_room(); }

  // How many vote requests wait to be taken into a batch, and how many may.
  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
  [[nodiscard]] std::size_t queue_limit() const { return queue_.limit(); }

 private:
  using Outcome = VoteQueue::Outcome;
  using PendingVotes = VoteQueue::PendingVotes;

  // How an attempt to write a batch ended.
  enum class BatchResult {
    committed,
    blocked,      // other transactions stayed in the way of some vote request
    bad_data,     // some vote request does not fit its columns
    unavailable,  // the database is away, or nobody can say whether it has the batch
    failed,       // it has another reason, which the log says
  };

  void run();
  void write_batch(const PendingVotes& votes);
  BatchResult try_batch(const PendingVotes& votes, std::vector<VoteResult>& results);
  std::optional<bool> was_committed(std::uint64_t sequence);
  bool add_stats(const PendingVotes& votes, std::vector<VoteResult>& results);
  void hold_counted(base::Time now);
  bool connect();
  void note(BatchResult fate);
  void count(base::Count what, std::size_t number = 1) const;

  const db::Endpoint endpoint_;
  const VoteStatements statements_;
  const HeldStore held_;
  const rollups::StatsStore& stats_;
  const base::Log& log_;
  base::Metrics* const metrics_;  // may be none
  const WriterId writer_;
  VoteQueue queue_;

  // Of the writing thread alone.
  std::unique_ptr<db::Connection> connection_;
  BurstWatch watch_;
  bool is_away_ = false;
  bool is_full_ = false;
  std::uint64_t sequence_ = 0;

  std::thread thread_;  // last: runs when all else is there
};

}  // namespace votes
