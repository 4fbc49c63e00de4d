#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
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

// Returns a pool of database sessions for vote writers. "most" is the maximum number of batches
// that can be written at the same time.
[[nodiscard]] db::Pool writer_sessions(db::Endpoint endpoint, unsigned most = 1);

// DESIGN. The vote writer implements group commit. Vote requests wait in a queue with a limited
// size (votes/vote_queue.h). One thread takes all waiting requests, up to a limit, and writes them
// in one transaction. Requests that arrive during a commit form the next batch, so batches need no
// timer and add no delay. The vote writer has its own thread, because a request's thread could miss
// its deadline while writing the votes of other requests.
//
// - If a batch conflicts with another transaction, the batch is repeated. A batch that fails
//   repeatedly, or that contains an invalid vote request, is split in half, so that the other
//   requests succeed.
// - Abandoned votes are removed before each attempt, and again in the transaction when the voters
//   are locked.
// - If the connection is lost, the batch is written again on a new connection, which may lead to
//   another server. The batch checks whether an earlier attempt was already committed
//   (rollups/writers.h).
// - The batch reads the new totals before the commit, while it holds its locks. After the commit,
//   the writer stores the totals in the host's cache before the service responds to any client.
// - The cache for the voters' own ratings is also updated after the commit. Even the result of a
//   rejected vote contains the voter's stored ratings, so the cache is also updated after a
//   rejected vote. If the result of a commit is unknown, the ratings of the voters in the batch are
//   removed from the cache.
// - After the caches have been updated, the batch's sequence number is published, so that no worker
//   mistakes the batch for a change by another host. If the result of a commit is unknown, the
//   writer stops using its row in the writers table, and later changes to this row are treated as
//   changes by another host.
// - If a burst is detected after some of its votes were counted, the counted votes are held after
//   the batch is complete, so that no request has to wait.
//
// Safe for concurrent use.
class VoteWriter {
 public:
  using Options = VoteQueue::Options;

  // "sessions" must be a result of writer_sessions(). Each batch needs one session. Between
  // batches, writers for other sites may use the same session. The caches, "log", the metrics and
  // "turn" must outlive the writer. "turn" coordinates the vote writers on a host, and is nullptr
  // if the host has only one vote writer.
  VoteWriter(const db::Pool& sessions, const HostCaches& caches, const runtime::Log& log,
             const Options& options, WriterTurn* turn = nullptr);
  VoteWriter(const VoteWriter&) = delete;
  VoteWriter& operator=(const VoteWriter&) = delete;
  // Writes the votes that are still waiting. The destructor must not run while a call to write() is
  // in progress.
  ~VoteWriter();

  // Stores the vote and updates all rollups in the same transaction. If a rule rejects the vote,
  // the result's outcome shows the reason. Blocks until the vote is on disk, but returns no later
  // than the vote's deadline. Repeating a call for the same voter is safe because no vote is
  // counted twice.
  tl::expected<VoteResult, WriteError> write(VoteRequest request);

  // Stores several votes in the same way as write(). Each request has its own result.
  std::vector<tl::expected<VoteResult, WriteError>> write_all(std::vector<VoteRequest> requests);

  // Puts the vote into the queue. The vote must have a listener, which is notified when the vote is
  // complete. Returns false if the queue is full. The listener must call result_or_abandon() when
  // the vote is complete or the deadline has passed.
  [[nodiscard]] bool begin(const std::shared_ptr<VoteQueue::PendingVote>& vote) {
    return queue_.push({vote});
  }

  // Returns the result of a vote that begin() has put into the queue
  // (VoteQueue::result_or_abandon()).
  VoteQueue::WriteResult result_or_abandon(VoteQueue::PendingVote& vote) {
    return queue_.result_or_abandon(vote);
  }

  // Returns the maximum time from the call to begin() until a vote has a result.
  [[nodiscard]] std::chrono::milliseconds deadline() const { return queue_.deadline(); }

  // Returns whether write() would accept one more vote request.
  [[nodiscard]] bool has_room() const { return queue_.has_room(); }

  // The waiting() function returns how many vote requests are waiting for a batch. The
  // queue_limit() function returns the maximum number of waiting vote requests.
  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
  [[nodiscard]] std::size_t queue_limit() const { return queue_.limit(); }

  // Returns whether the latest batch failed because the database server had no disk space.
  [[nodiscard]] bool is_disk_full() const { return is_disk_full_; }

 private:
  using WriteResult = VoteQueue::WriteResult;
  using PendingVotes = VoteQueue::PendingVotes;

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

  // Only the writing thread uses the following members.
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
