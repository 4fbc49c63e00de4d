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
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "votes/held_store.h"
#include "votes/own_ratings_cache.h"
#include "votes/suspicion.h"
#include "votes/vote.h"
#include "votes/vote_batch.h"
#include "votes/vote_queue.h"
#include "votes/writer_turn.h"

namespace votes {

// Returns a session pool for vote writers. At most "most" batches are written at the same time.
[[nodiscard]] db::Pool writer_sessions(db::Endpoint endpoint, unsigned most = 1);

// DESIGN. Group commit. Vote requests wait in a bounded queue (votes/vote_queue.h). One thread
// takes all waiting requests, up to a limit, and writes them in one transaction. While a commit
// runs, new requests gather for the next batch, so no timer and no additional delay are needed.
// (This is the scheme of LevelDB's DBImpl::Write. A dedicated thread takes the place of the leader
// among the waiting threads. So no request misses its deadline because its thread writes for
// others.)
//
// - After a conflict, the batch is repeated. If it keeps failing with conflicts, or if it contains
//   a bad vote request, the batch is halved, so that the other requests succeed.
// - Abandoned votes are dropped before each attempt, and again in the transaction when their voters
//   are locked.
// - If the connection is lost, the batch is written again on a new connection, which may lead to
//   another server. The batch finds out whether it was already committed (rollups/writers.h).
// - The totals in the results are read before the commit, under the batch's locks. The host's cache
//   gets them after the commit, before any client is answered.
// - At the same time, the cache for the voters' own ratings is updated. Even a refused vote updates
//   this cache, because its result contains the stored ratings. If it is unknown whether a vote was
//   committed, the ratings of its voter are removed from the cache.
// - Afterwards, the batch's sequence is published, so that no worker mistakes the batch for a
//   change by another host. If it is unknown whether a batch was committed, the writer gives up its
//   row. In this case, all later changes to this row are treated as changes by another host.
// - If a burst is detected only after some of its votes were counted, these votes are held after
//   the commit, when no request is waiting for them any longer.
//
// Safe for concurrent use.
class VoteWriter {
 public:
  using Options = VoteQueue::Options;

  // "sessions" comes from writer_sessions(). Each batch needs one session. Between batches, writers
  // for other sites may use this session. The caches, "log", the metrics and "turn" must outlive
  // the writer. "turn" makes the writers on this host take turns. It is nullptr if there are no
  // other writers.
  VoteWriter(const db::Pool& sessions, const HostCaches& caches, const runtime::Log& log,
             const Options& options, WriterTurn* turn = nullptr);
  VoteWriter(const VoteWriter&) = delete;
  VoteWriter& operator=(const VoteWriter&) = delete;
  // Writes the votes that are still waiting. REQUIRES: no call to write() is in progress.
  ~VoteWriter();

  // Stores the vote and updates all rollups in the same transaction. If a rule refuses the vote,
  // returns the refusal as the outcome in the result. Returns when the vote is on disk. Repeating a
  // call for the same voter is safe because no vote is counted twice. Blocks until the deadline at
  // most.
  tl::expected<VoteResult, WriteError> write(VoteRequest request);

  // Does the same as write() for several vote requests. Each request has its own outcome.
  std::vector<tl::expected<VoteResult, WriteError>> write_all(std::vector<VoteRequest> requests);

  // Begins to store a vote that has a listener. Returns false if the queue is full. The listener
  // must call result_or_abandon() when the vote is complete, or at the deadline if the vote is not
  // complete by then.
  [[nodiscard]] bool begin(const std::shared_ptr<VoteQueue::PendingVote>& vote) {
    return queue_.push({vote});
  }

  // Returns the outcome of a vote that begin() has accepted. Does the same as
  // VoteQueue::result_or_abandon().
  VoteQueue::WriteResult result_or_abandon(VoteQueue::PendingVote& vote) {
    return queue_.result_or_abandon(vote);
  }

  // Returns how long a vote may take from begin() until its outcome.
  [[nodiscard]] std::chrono::milliseconds deadline() const { return queue_.deadline(); }

  // Returns whether write() would accept one more vote request.
  [[nodiscard]] bool has_room() const { return queue_.has_room(); }

  // waiting() returns how many vote requests are waiting for a batch. queue_limit() returns how
  // many may wait.
  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
  [[nodiscard]] std::size_t queue_limit() const { return queue_.limit(); }

  // Returns whether the database had no room for the latest batch.
  [[nodiscard]] bool is_disk_full() const { return is_disk_full_; }

 private:
  using Outcome = VoteQueue::WriteResult;
  using PendingVotes = VoteQueue::PendingVotes;

  // The result of an attempt to write a batch.
  enum class BatchResult {
    committed,
    conflicting,  // conflicts with other transactions continued
    bad_data,     // a vote request does not fit its columns
    unavailable,  // the database is down, or it is unknown whether the batch was committed
    failed,       // another error, which is in the log
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
  std::optional<db::Pool::Lease> session_;  // set during a batch
  std::optional<WriterId> writer_;
  std::optional<rollups::RollupState> state_;  // the rollup state that the last batch has read
  BurstWatch watch_;
  bool is_disconnected_ = false;
  std::atomic<bool> is_disk_full_ = false;  // also read by other threads
  runtime::Episode full_disk_{std::chrono::seconds(30)};
  std::uint64_t sequence_ = 0;   // the number of the last batch
  std::uint64_t committed_ = 0;  // the number of the last batch that changed something

  std::thread thread_;  // must be the last member because the thread uses the other members
};

}  // namespace votes
