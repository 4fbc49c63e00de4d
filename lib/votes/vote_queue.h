#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/stopwatch.h"
#include "votes/vote_request.h"

namespace votes {

enum class WriteError {
  unavailable,  // the database is away, busy, or the outcome is unknown; repeating is safe
  queue_full,   // too many votes are waiting, or those that do get nowhere; repeating is safe
  failed,       // the database refuses this vote request; the log says why
};

// DESIGN. The votes between the threads that ask for them and the one thread that writes them. A
// request thread pushes its votes and waits for their outcomes, up to a deadline; the writing
// thread takes batches and completes each vote with its outcome. complete_one() is the only place
// where a waiting thread is told.
//
// A vote is not written any more once its thread has given up, or once its request is so old that
// the web server may have asked another worker: the voter may have changed the vote since.
//
// The queue is bounded. While the writer is stuck, which is while a batch takes long or right after
// one that was blocked, only a few votes may wait to find out when it recovers; others are refused
// at once, so that they do not hold all threads.
//
// Safe for concurrent use.
class VoteQueue {
 public:
  using Outcome = tl::expected<VoteResult, WriteError>;

  struct Options {
    std::size_t batch_limit = 64;                 // votes in one batch: 1 ... 64
    std::size_t queue_limit = 1024;               // votes that may wait
    std::chrono::milliseconds patience{1800};     // how long a vote may wait for its commit
    std::chrono::milliseconds stuck_after{1500};  // of writing one batch
    std::chrono::milliseconds stuck_for{5000};    // after a blocked batch, unless another succeeds
    base::Metrics* metrics = nullptr;             // where outcomes are counted; nullptr: nowhere
  };

  // A vote on its way, shared by the thread that waits for it and the batch that has it.
  class PendingVote {
   public:
    explicit PendingVote(VoteRequest cast) : request(std::move(cast)) {}

    const VoteRequest request;

   private:
    friend class VoteQueue;  // whose mutex guards what follows

    const base::Stopwatch waited_;
    bool is_abandoned_ = false;  // nobody waits for it, or its request is too old
    std::optional<Outcome> outcome_;
    base::Condition completed_;
  };
  using PendingVotes = std::vector<std::shared_ptr<PendingVote>>;

  // The metrics must outlive the queue.
  explicit VoteQueue(const Options& options) : options_(options) {}
  VoteQueue(const VoteQueue&) = delete;
  VoteQueue& operator=(const VoteQueue&) = delete;

  // Adds votes, all of them or none. Nothing if there is no room for all. Where nothing waits for a
  // stuck writer, the votes of one call may, up to the queue's limit.
  std::optional<PendingVotes> push(std::vector<VoteRequest> requests);

  // The outcomes of votes that were pushed. Blocks until all of them are complete, but not longer
  // than the patience since they were pushed: a vote that is incomplete then is abandoned, and its
  // outcome is unavailable.
  std::vector<Outcome> wait_for(const PendingVotes& votes);

  // Whether a vote that came now would be let wait.
  [[nodiscard]] bool has_room() const;

  // How many votes wait to be taken into a batch, and how many may.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t limit() const { return options_.queue_limit; }

  // The functions below are for the writing thread.

  // The votes that have waited longest, up to the batch limit. Blocks until there are some. An
  // empty batch means that the queue is closed and nothing waits any more.
  PendingVotes take_batch();

  // Whether the vote is still to be written. One whose request is too old is completed here.
  bool is_wanted(PendingVote& vote);

  // Those of "votes" that are still to be written.
  PendingVotes still_wanted(const PendingVotes& votes);

  // Completes each vote with the outcome at its index.
  void complete(const PendingVotes& votes, std::span<const Outcome> outcomes);

  // Says how the last batch ended: blocked, or with an outcome that tells that batches get through.
  void set_blocked(bool is_blocked);

  // From now on take_batch() does not wait for more votes.
  void close();

 private:
  [[nodiscard]] std::size_t room() const REQUIRES_LOCK(mutex_);
  [[nodiscard]] bool is_stuck() const REQUIRES_LOCK(mutex_);
  bool check_wanted(PendingVote& vote) REQUIRES_LOCK(mutex_);
  void complete_one(PendingVote& vote, const Outcome& outcome) REQUIRES_LOCK(mutex_);
  void count(base::Count what, std::size_t number = 1) const;

  const Options options_;
  mutable base::Mutex mutex_;
  base::Condition pushed_;
  std::deque<std::shared_ptr<PendingVote>> waiting_ GUARDED_BY(mutex_);
  bool is_closed_ GUARDED_BY(mutex_) = false;
  std::optional<base::Stopwatch> writing_ GUARDED_BY(mutex_);  // since the last batch was taken
  std::optional<base::Stopwatch> blocked_ GUARDED_BY(mutex_);  // since a batch was blocked
};

}  // namespace votes
