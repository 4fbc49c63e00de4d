#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "db/connection.h"
#include "db/pool.h"
#include "runtime/episode.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "votes/burst_watch.h"
#include "votes/held_store.h"
#include "votes/own_ratings_cache.h"
#include "votes/vote_batch.h"
#include "votes/vote_queue.h"
#include "votes/vote_request.h"
#include "votes/writer_turn.h"

namespace votes {

// The sessions of vote writers: at most "most" batches are written at the same time.
[[nodiscard]] db::Pool writer_sessions(db::Endpoint endpoint, unsigned most = 1);

// DESIGN. Group commit. Vote requests wait in a bounded queue (votes/vote_queue.h). One thread
// takes all waiting requests, up to a limit, and writes them in one transaction. The next batch
// gathers while a commit runs, so there is no added delay and no timer. (This is the scheme of
// LevelDB's DBImpl::Write. A dedicated thread replaces the leader among the waiting threads, so
// that no request waits beyond its deadline because it writes for others.)
//
// - A batch with a conflict is repeated. A batch whose conflicts do not end, or that contains a bad
//   vote request, is halved, so that the other requests succeed.
// - Abandoned votes are dropped before each attempt, and again in the transaction when their voters
//   are locked.
// - When the connection is lost, the batch is written again on a new connection, also with another
//   server. It finds out whether it was committed before (rollups/writer_rows.h).
// - The totals in the results are read before the commit, under the locks of the batch. The cache
//   of the host gets them after the commit, before any client is answered.
// - The own ratings of the voters are changed there, too: also by refused votes, whose results show
//   what is stored. Those of votes whose commit is in doubt are removed.
// - Then the sequence of the batch is published, so that no worker takes the batch for a change of
//   another host. A writer whose commit is in doubt gives its row up: all later changes of it are
//   such changes.
// - Votes that were counted before their burst was detected are held after the commit, when no
//   request waits for them any more.
//
// Safe for concurrent use.
class VoteWriter {
 public:
  using Options = VoteQueue::Options;

  // "sessions": those of writer_sessions(). Each batch needs one; it may be used by writers of
  // other sites meanwhile. The caches, "log", the metrics and "turn" must outlive the writer.
  // "turn": with other writers of the host; nullptr if there are none.
  VoteWriter(const db::Pool& sessions, const HostCaches& caches, const runtime::Log& log,
             const Options& options, WriterTurn* turn = nullptr);
  VoteWriter(const VoteWriter&) = delete;
  VoteWriter& operator=(const VoteWriter&) = delete;
  // Writes what is still waiting. REQUIRES: no call of write() is under way.
  ~VoteWriter();

  // Stores the vote and updates all rollups in the same transaction, or returns which of its rules
  // refuses it. Returns when the vote is on disk. Repeating a call for the same voter is safe: it
  // cannot count a vote twice. Blocks until the deadline at most.
  tl::expected<VoteResult, WriteError> write(VoteRequest request);

  // The same for several vote requests, each with its own outcome.
  std::vector<tl::expected<VoteResult, WriteError>> write_all(std::vector<VoteRequest> requests);

  // Begins to store a vote that has a listener; false if the queue is full. The listener must call
  // result_or_abandon() when the vote is complete, and at the deadline at the latest.
  [[nodiscard]] bool begin(const std::shared_ptr<VoteQueue::PendingVote>& vote) {
    return queue_.push({vote});
  }

  // The outcome of a vote that has begun, as VoteQueue::result_or_abandon().
  VoteQueue::WriteResult result_or_abandon(VoteQueue::PendingVote& vote) {
    return queue_.result_or_abandon(vote);
  }

  // From the beginning of a vote until its outcome.
  [[nodiscard]] std::chrono::milliseconds deadline() const { return queue_.deadline(); }

  // Whether write() would accept one more vote request.
  [[nodiscard]] bool has_room() const { return queue_.has_room(); }

  // How many vote requests wait for a batch, and how many may wait.
  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
  [[nodiscard]] std::size_t queue_limit() const { return queue_.limit(); }

  // Whether the database had no room for the latest batch.
  [[nodiscard]] bool is_disk_full() const { return is_disk_full_; }

 private:
  using Outcome = VoteQueue::WriteResult;
  using PendingVotes = VoteQueue::PendingVotes;

  // How an attempt to write a batch ended.
  enum class BatchResult {
    committed,
    conflicting,  // with other transactions, again and again
    bad_data,     // a vote request does not fit its columns
    unavailable,  // the database is down, or it is unknown whether the batch is committed
    failed,       // any other reason; the log says which
  };

  void run();
  void write_batch(const PendingVotes& votes);
  BatchResult try_batch(const PendingVotes& votes, std::vector<VoteResult>& results);
  BatchResult end_in_doubt(std::size_t votes, std::span<const model::Object> objects);
  void run_transaction(std::vector<VoteRequest>& requests, const VoteBatch::IsWanted& is_wanted,
                       std::uint64_t sequence, VoteBatch::Results& results);
  void report_disk_full(const db::NoRoom& failure);
  using Changes = std::map<model::VoterId, OwnRatingsCache::Change>;
  [[nodiscard]] Changes begin_changes(const PendingVotes& votes) const;
  void end_changes(Changes changes, const PendingVotes& votes,
                   std::span<const VoteResult> results) const;
  void hold_counted_votes(base::Time now);
  bool connect();
  void disconnect();
  [[nodiscard]] db::Connection& connection() { return session_->connection(); }
  void give_up_row();
  void report_to_queue(BatchResult result);
  void count(runtime::Count what, std::size_t number = 1) const;

  db::Pool sessions_;
  const HeldStore held_;
  const HostCaches caches_;
  const runtime::Log& log_;
  runtime::Metrics* const metrics_;  // may be nullptr
  WriterTurn* const turn_;           // may be nullptr
  VoteQueue queue_;

  // Used by the writing thread only.
  std::optional<db::Pool::Lease> session_;  // during a batch
  std::optional<WriterId> writer_;
  std::optional<rollups::RollupState> state_;  // of the rollups, at the last batch
  BurstWatch watch_;
  bool is_disconnected_ = false;
  std::atomic<bool> is_disk_full_ = false;  // read by others, too
  runtime::Episode full_disk_{std::chrono::seconds(30)};
  std::uint64_t sequence_ = 0;   // of the last batch
  std::uint64_t committed_ = 0;  // of the last batch that changed something

  std::thread thread_;  // last: uses the other members
};

}  // namespace votes
