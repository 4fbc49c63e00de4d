#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "runtime/metrics.h"
#include "votes/vote.h"

namespace votes {

enum class WriteError {
  unavailable,  // the database is down or busy, or the outcome is unknown; repeating is safe
  queue_full,   // too many votes are waiting or the writer is stuck; repeating is safe
  failed,       // the database rejects this vote request; the log says why
};

// DESIGN. The queue between the threads that receive votes and the thread that writes the votes.
// The writing thread takes batches from the queue and sets the result of each vote, which
// completes the vote. Code that pushes a vote either waits for the result, or provides a listener
// if no thread should wait. A listener is called once for all of its votes in a batch. No thread
// waits longer than the deadline.
//
// A vote is abandoned when nobody waits for its result any longer. A vote is also abandoned if its
// request is so old that the web server may have sent the request to another worker. Abandoned
// votes are not written, because an old vote could replace a newer vote by the same voter.
//
// The number of votes in the queue is limited. The writer is considered stuck while a batch takes
// too long, and for some time after a batch has failed. While the writer is stuck, only a few votes
// may wait in the queue. Once a batch has been written, the writer is no longer stuck. If the queue
// is full, votes are rejected immediately, so that voters need not wait.
//
// Safe for concurrent use.
class VoteQueue {
 public:
  using WriteResult = tl::expected<VoteResult, WriteError>;

  struct Options {
    std::size_t batch_limit = 256;                // votes per batch, including parts: 1 ... 256
    std::size_t queue_limit = 1024;               // votes that may wait
    std::chrono::milliseconds deadline{1800};     // from the push until the result of a vote
    std::chrono::milliseconds stuck_after{1500};  // from the beginning of a batch
    std::chrono::milliseconds stuck_for{5000};    // after a failure, unless a later batch succeeds
    runtime::Metrics* metrics = nullptr;  // counts outcomes; nullptr if outcomes are not counted
  };

  // The queue calls a listener when votes are complete, and passes the numbers that identify the
  // votes.
  class Listener {
   public:
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;

    // The writing thread calls this function when the votes with the given numbers are complete.
    // The writing thread holds the queue's lock during the call, so this function must neither
    // block nor call the queue.
    virtual void on_completed(std::span<const std::uint64_t> numbers) = 0;
  };

  // A vote request in the queue. The batch and the code that waits for the result share this
  // object.
  class PendingVote {
   public:
    // When the vote is complete, "number" is passed to "listener". The listener must outlive the
    // vote. If "listener" is nullptr, a thread waits for the result in wait_for().
    explicit PendingVote(VoteRequest pushed, Listener* listener = nullptr, std::uint64_t number = 0)
        : request(std::move(pushed)), listener_(listener), number_(number) {}

    [[nodiscard]] std::uint64_t number() const { return number_; }

    const VoteRequest request;

   private:
    friend class VoteQueue;  // the queue's mutex guards the members that change

    Listener* const listener_;
    const std::uint64_t number_;
    const base::Stopwatch waited_;
    bool is_abandoned_ = false;  // nobody waits for the vote, or its request is too old
    std::optional<WriteResult> result_;
    base::Condition completed_;
  };
  using PendingVotes = std::vector<std::shared_ptr<PendingVote>>;

  // The metrics must outlive the queue.
  explicit VoteQueue(const Options& options) : options_(options) {}
  VoteQueue(const VoteQueue&) = delete;
  VoteQueue& operator=(const VoteQueue&) = delete;

  // Adds all votes and returns true. If the queue does not have room for all votes, adds no votes
  // and returns false. Even while the writer is stuck, an empty queue accepts as many votes as
  // Options::queue_limit allows.
  [[nodiscard]] bool push(const PendingVotes& votes);

  // Waits for the results of pushed votes that have no listener. Votes that have no result at the
  // deadline are abandoned.
  std::vector<WriteResult> wait_for(const PendingVotes& votes);

  // Returns the result of a pushed vote. If the vote has no result yet, abandons the vote and
  // returns WriteError::unavailable. The listener of an abandoned vote is not called.
  WriteResult result_or_abandon(PendingVote& vote);

  // Returns the maximum time from the call to push() until a vote has a result.
  [[nodiscard]] std::chrono::milliseconds deadline() const { return options_.deadline; }

  // Returns whether push() would accept one more vote.
  [[nodiscard]] bool has_room() const;

  // The size() function returns how many votes are waiting for a batch. The limit() function
  // returns the maximum number of waiting votes.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t limit() const { return options_.queue_limit; }

  // Only the writing thread may call the following functions.

  // Blocks until a vote is in the queue. Returns false if the queue is closed and empty.
  bool wait_for_votes();

  // Takes the oldest votes that are not abandoned, up to the batch limit. If the last vote has
  // parts, the batch may exceed the limit.
  PendingVotes take_batch();

  // Returns whether the vote must still be written. If its request is too old, first completes and
  // abandons the vote. Returns false for an abandoned vote.
  bool is_wanted(const std::shared_ptr<PendingVote>& vote);

  // Returns the votes in "votes" for which is_wanted() returns true.
  PendingVotes still_wanted(const PendingVotes& votes);

  // Completes all votes. results[i] is the result of votes[i].
  void complete(const PendingVotes& votes, std::span<const WriteResult> results);

  // Records whether the writer is stuck because the last batch could not be written. If "is_stuck"
  // is true, the queue holds only a few votes at a time until a batch succeeds or "stuck_for" has
  // passed.
  void set_stuck(bool is_stuck);

  // Makes wait_for_votes() return false when the queue is empty, instead of waiting for more votes.
  void close();

 private:
  [[nodiscard]] std::size_t room() const REQUIRES_LOCK(mutex_);
  [[nodiscard]] bool is_stuck() const REQUIRES_LOCK(mutex_);
  bool check_wanted(const std::shared_ptr<PendingVote>& vote) REQUIRES_LOCK(mutex_);
  void set_result(PendingVote& vote, const WriteResult& result) REQUIRES_LOCK(mutex_);
  void tell(std::span<const std::shared_ptr<PendingVote>> votes) REQUIRES_LOCK(mutex_);
  WriteResult result_or_abandon_locked(PendingVote& vote) REQUIRES_LOCK(mutex_);
  void count(runtime::Count what, std::size_t number = 1) const;
  void count(const VoteRequest& request, const WriteResult& result) const;

  const Options options_;
  mutable base::Mutex mutex_;
  base::Condition pushed_;
  std::deque<std::shared_ptr<PendingVote>> waiting_ GUARDED_BY(mutex_);
  bool is_closed_ GUARDED_BY(mutex_) = false;
  std::optional<base::Stopwatch> writing_ GUARDED_BY(mutex_);  // since the last batch was taken
  std::optional<base::Stopwatch> stuck_ GUARDED_BY(mutex_);    // since a batch failed
};

}  // namespace votes
