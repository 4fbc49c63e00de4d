#include "votes/vote_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "support/metrics_memory.h"

namespace {

using runtime::Count;
using votes::VoteQueue;
using votes::WriteError;
using namespace std::chrono_literals;
using WriteResult = VoteQueue::WriteResult;

votes::VoteRequest vote(model::VoterId voter) {
  votes::VoteRequest request;
  request.key.voter = voter;
  request.value = 1000;
  return request;
}

VoteQueue::PendingVotes pending(const std::vector<votes::VoteRequest>& requests) {
  VoteQueue::PendingVotes votes;
  votes.reserve(requests.size());
  for (const auto& request : requests) {
    votes.push_back(std::make_shared<VoteQueue::PendingVote>(request));
  }
  return votes;
}

// Returns votes by voters 1 to "count".
VoteQueue::PendingVotes votes(std::size_t count) {
  std::vector<votes::VoteRequest> requests;
  for (std::size_t i = 1; i <= count; ++i) requests.push_back(vote(i));
  return pending(requests);
}

// Returns a vote request that arrived 30 seconds ago.
votes::VoteRequest late_vote(model::VoterId voter) {
  votes::VoteRequest request = vote(voter);
  request.stopwatch = base::Stopwatch(30s);
  return request;
}

WriteResult stored(model::VoterId voter) {
  votes::VoteResult result;
  result.outcome = votes::VoteResult::Outcome::stored;
  result.voter = voter;
  return result;
}

// Completes a batch. Each result contains the voter who cast the vote.
void store_all(VoteQueue& queue, const VoteQueue::PendingVotes& batch) {
  std::vector<WriteResult> results;
  results.reserve(batch.size());
  for (const auto& vote : batch) results.push_back(stored(vote->request.key.voter));
  queue.complete(batch, results);
}

std::vector<model::VoterId> voters_of(const VoteQueue::PendingVotes& batch) {
  std::vector<model::VoterId> voters;
  voters.reserve(batch.size());
  for (const auto& vote : batch) voters.push_back(vote->request.key.voter);
  return voters;
}

TEST(VoteQueue, BatchHasTheOldestVotesInTheirOrder) {
  VoteQueue queue({.batch_limit = 2});
  ASSERT_TRUE(queue.push(votes(3)));
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(voters_of(queue.take_batch()), (std::vector<model::VoterId>{1, 2}));
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(voters_of(queue.take_batch()), (std::vector<model::VoterId>{3}));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(VoteQueue, EachVoteHasItsOwnResult) {
  VoteQueue queue({});
  const auto pushed = votes(2);
  ASSERT_TRUE(queue.push(pushed));
  const auto batch = queue.take_batch();
  queue.complete(batch, std::vector<WriteResult>{stored(1), tl::unexpected(WriteError::failed)});
  const auto results = queue.wait_for(pushed);
  ASSERT_EQ(results.size(), 2U);
  ASSERT_TRUE(results[0]);
  EXPECT_EQ(results[0]->voter, 1U);
  ASSERT_FALSE(results[1]);
  EXPECT_EQ(results[1].error(), WriteError::failed);
}

TEST(VoteQueue, VotesOfOneCallAreAllLetInOrNone) {
  support::MetricsMemory metrics;
  VoteQueue queue({.queue_limit = 3, .metrics = &metrics.metrics()});
  ASSERT_TRUE(queue.push(votes(2)));
  EXPECT_TRUE(queue.has_room());
  EXPECT_FALSE(queue.push(votes(2)));
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(metrics.total(Count::vote_queue_full), 2U);
  ASSERT_TRUE(queue.push(votes(1)));
  EXPECT_FALSE(queue.has_room());
  queue.take_batch();
  EXPECT_TRUE(queue.has_room());
  EXPECT_EQ(queue.limit(), 3U);
}

TEST(VoteQueue, VoteThatIsNotCompleteInTimeIsAbandoned) {
  support::MetricsMemory metrics;
  VoteQueue queue({.deadline = 0ms, .metrics = &metrics.metrics()});
  const auto pushed = pending({vote(1)});
  ASSERT_TRUE(queue.push(pushed));
  EXPECT_TRUE(queue.is_wanted(pushed.front()));
  const auto results = queue.wait_for(pushed);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error(), WriteError::unavailable);
  EXPECT_FALSE(queue.is_wanted(pushed.front()));
  EXPECT_TRUE(queue.still_wanted(pushed).empty());
  EXPECT_EQ(metrics.total(Count::vote_timed_out), 1U);
  EXPECT_EQ(metrics.total(Count::vote_unavailable), 0U);
}

TEST(VoteQueue, AbandonedVotesAreLeftOutOfBatches) {
  VoteQueue queue({.batch_limit = 2, .deadline = 0ms});
  const auto abandoned = votes(3);
  ASSERT_TRUE(queue.push(abandoned));
  queue.wait_for(abandoned);
  ASSERT_TRUE(queue.push(pending({vote(4), vote(5)})));
  EXPECT_EQ(voters_of(queue.take_batch()), (std::vector<model::VoterId>{4, 5}));
}

// A vote is counted when it is stored, even if it has already been counted as timed out, so that
// the metrics include all stored votes.
TEST(VoteQueue, AbandonedVoteIsCountedAgainOnlyIfItWasStored) {
  support::MetricsMemory metrics;
  VoteQueue queue({.deadline = 0ms, .metrics = &metrics.metrics()});
  const auto pushed = votes(3);
  ASSERT_TRUE(queue.push(pushed));
  const auto batch = queue.take_batch();
  queue.wait_for(pushed);
  // The first vote is stored, the second vote is skipped by the batch, and the third vote fails.
  queue.complete(batch, std::vector<WriteResult>{stored(1), votes::VoteResult{},
                                                 tl::unexpected(WriteError::failed)});
  EXPECT_EQ(metrics.total(Count::vote_timed_out), 3U);
  EXPECT_EQ(metrics.total(votes::VoteResult::Outcome::stored), 1U);
  EXPECT_EQ(metrics.total(votes::VoteResult::Outcome::unchanged), 0U);
  EXPECT_EQ(metrics.total(Count::vote_failed), 0U);
}

TEST(VoteQueue, VoteOfAnOldRequestIsCompletedWithoutBeingWritten) {
  support::MetricsMemory metrics;
  VoteQueue queue({.metrics = &metrics.metrics()});
  const auto late = pending({late_vote(1)});
  ASSERT_TRUE(queue.push(late));
  ASSERT_TRUE(queue.push(pending({vote(2)})));
  EXPECT_EQ(voters_of(queue.take_batch()), (std::vector<model::VoterId>{2}));
  const auto results = queue.wait_for(late);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error(), WriteError::unavailable);
  EXPECT_EQ(metrics.total(Count::vote_unavailable), 1U);
  EXPECT_EQ(metrics.total(Count::vote_timed_out), 0U);
}

TEST(VoteQueue, FirstResultOfAVoteStays) {
  VoteQueue queue({});
  const auto pushed = pending({vote(1)});
  ASSERT_TRUE(queue.push(pushed));
  const auto batch = queue.take_batch();
  queue.complete(batch, std::vector<WriteResult>{tl::unexpected(WriteError::unavailable)});
  store_all(queue, batch);
  EXPECT_FALSE(queue.wait_for(pushed).front());
}

// Records the arguments of each call of on_completed().
class Notes : public VoteQueue::Listener {
 public:
  void on_completed(std::span<const std::uint64_t> numbers) override {
    calls.emplace_back(numbers.begin(), numbers.end());
  }
  std::vector<std::vector<std::uint64_t>> calls;
};

std::shared_ptr<VoteQueue::PendingVote> heard(votes::VoteRequest request, Notes& notes,
                                              std::uint64_t number) {
  return std::make_shared<VoteQueue::PendingVote>(std::move(request), &notes, number);
}

TEST(VoteQueue, ListenerIsToldOfABatchAtOnce) {
  Notes notes;
  Notes others;
  VoteQueue queue({});
  const VoteQueue::PendingVotes votes = {heard(vote(1), notes, 11), heard(vote(2), notes, 12),
                                         heard(vote(3), others, 13)};
  ASSERT_TRUE(queue.push(votes));
  EXPECT_TRUE(notes.calls.empty());
  store_all(queue, queue.take_batch());
  EXPECT_EQ(notes.calls, (std::vector<std::vector<std::uint64_t>>{{11, 12}}));
  EXPECT_EQ(others.calls, (std::vector<std::vector<std::uint64_t>>{{13}}));
  const WriteResult result = queue.result_or_abandon(*votes[1]);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->voter, 2U);
}

TEST(VoteQueue, ListenerIsNotToldOfAnAbandonedVote) {
  support::MetricsMemory metrics;
  Notes notes;
  VoteQueue queue({.metrics = &metrics.metrics()});
  const VoteQueue::PendingVotes votes = {heard(vote(1), notes, 1), heard(vote(2), notes, 2)};
  ASSERT_TRUE(queue.push(votes));
  const auto batch = queue.take_batch();
  const WriteResult result = queue.result_or_abandon(*votes[0]);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), WriteError::unavailable);
  EXPECT_EQ(metrics.total(Count::vote_timed_out), 1U);
  EXPECT_FALSE(queue.is_wanted(batch[0]));
  store_all(queue, batch);
  EXPECT_EQ(notes.calls, (std::vector<std::vector<std::uint64_t>>{{2}}));
}

TEST(VoteQueue, ListenerIsToldOfAVoteOfAnOldRequest) {
  Notes notes;
  VoteQueue queue({});
  const auto late = heard(late_vote(1), notes, 7);
  ASSERT_TRUE(queue.push({late, heard(vote(2), notes, 8)}));
  EXPECT_EQ(voters_of(queue.take_batch()), (std::vector<model::VoterId>{2}));
  EXPECT_EQ(notes.calls, (std::vector<std::vector<std::uint64_t>>{{7}}));
  EXPECT_FALSE(queue.result_or_abandon(*late));
}

TEST(VoteQueue, BlockedBatchLetsOnlyAFewWaitUntilOneGetsThrough) {
  VoteQueue queue({.queue_limit = 100, .stuck_for = 1h});
  queue.set_stuck(true);
  ASSERT_TRUE(queue.push(votes(1))) << "where nothing waits, any number may";
  EXPECT_FALSE(queue.push(votes(8)));
  ASSERT_TRUE(queue.push(votes(7)));
  EXPECT_FALSE(queue.has_room());
  queue.set_stuck(false);
  EXPECT_TRUE(queue.push(votes(90)));
}

TEST(VoteQueue, BlockedBatchIsForgottenInTime) {
  VoteQueue queue({.queue_limit = 100, .stuck_for = 0ms});
  queue.set_stuck(true);
  ASSERT_TRUE(queue.push(votes(1)));
  EXPECT_TRUE(queue.push(votes(90)));
}

TEST(VoteQueue, SlowBatchLetsOnlyAFewWaitUntilTheNextOne) {
  // "stuck_after" is negative, so that even an elapsed time of 0 ms exceeds it.
  VoteQueue queue({.batch_limit = 1, .queue_limit = 100, .stuck_after = -1ms});
  ASSERT_TRUE(queue.push(votes(1)));
  queue.take_batch();
  ASSERT_TRUE(queue.push(votes(8)));
  EXPECT_FALSE(queue.push(votes(1)));

  VoteQueue context({.batch_limit = 1, .queue_limit = 100, .stuck_after = 1h});
  ASSERT_TRUE(context.push(votes(1)));
  context.take_batch();
  ASSERT_TRUE(context.push(votes(8)));
  EXPECT_TRUE(context.push(votes(1)));
}

TEST(VoteQueue, ClosedOneGivesOutWhatStillWaitsAndThenNothing) {
  VoteQueue queue({.batch_limit = 2});
  ASSERT_TRUE(queue.push(votes(3)));
  queue.close();
  EXPECT_TRUE(queue.wait_for_votes());
  EXPECT_EQ(queue.take_batch().size(), 2U);
  EXPECT_EQ(queue.take_batch().size(), 1U);
  EXPECT_FALSE(queue.wait_for_votes());
}

TEST(VoteQueue, ClosingEndsTheWaitForABatch) {
  VoteQueue queue({});
  bool is_empty = false;
  std::thread writer([&] { is_empty = !queue.wait_for_votes(); });
  queue.close();
  writer.join();
  EXPECT_TRUE(is_empty);
}

// Runs a thread that writes the votes in a queue.
class Writer {
 public:
  explicit Writer(VoteQueue& queue) : queue_(queue), thread_([this] { run(); }) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { stop(); }

  // After stop() returns, the caller may read the written data.
  void stop() {
    queue_.close();
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] const std::multiset<model::VoterId>& written() const { return written_; }
  [[nodiscard]] std::size_t largest() const { return largest_; }

 private:
  void run() {
    while (queue_.wait_for_votes()) {
      const auto batch = queue_.take_batch();
      const auto wanted = queue_.still_wanted(batch);
      for (const auto voter : voters_of(wanted)) written_.insert(voter);
      largest_ = std::max(largest_, batch.size());
      queue_.set_stuck(false);
      store_all(queue_, wanted);
    }
  }

  VoteQueue& queue_;
  std::multiset<model::VoterId> written_;
  std::size_t largest_ = 0;
  std::thread thread_;
};

TEST(VoteQueueOfThreads, EveryVoteIsWrittenOnceAndItsThreadIsTold) {
  constexpr model::VoterId kThreads = 16;
  constexpr model::VoterId kRounds = 200;
  VoteQueue queue({.batch_limit = 5, .deadline = 60s});
  Writer writer(queue);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (model::VoterId thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (model::VoterId round = 0; round < kRounds; ++round) {
        const model::VoterId voter = thread * kRounds + round + 1;
        const auto pushed = pending({vote(voter)});
        if (!queue.push(pushed)) ++wrong;
        const auto results = queue.wait_for(pushed);
        if (!results.front() || results.front()->voter != voter) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.stop();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(writer.written().size(), kThreads * kRounds);
  EXPECT_EQ(*writer.written().rbegin(), kThreads * kRounds);
  EXPECT_LE(writer.largest(), 5U);
  EXPECT_EQ(queue.size(), 0U);
}

// A vote may be completed at the same moment at which it times out.
TEST(VoteQueueOfThreads, AbandonedVoteIsNeverToldToBeStored) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 500;
  support::MetricsMemory metrics;
  VoteQueue queue({.deadline = 0ms, .metrics = &metrics.metrics()});
  Writer writer(queue);
  std::atomic<std::uint64_t> told = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const auto pushed = pending({vote(1)});
        if (queue.push(pushed) && queue.wait_for(pushed).front()) ++told;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.stop();
  EXPECT_EQ(told + metrics.total(Count::vote_timed_out) + metrics.total(Count::vote_queue_full),
            std::uint64_t{kThreads} * kRounds);
  // The queue may report a stored vote as unavailable, but never reports an unstored vote as
  // stored.
  EXPECT_EQ(metrics.total(votes::VoteResult::Outcome::stored), writer.written().size());
  EXPECT_LE(told, writer.written().size());
}

}  // namespace
