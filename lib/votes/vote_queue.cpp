#include "votes/vote_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace votes {
namespace {

// The maximum time from the arrival of a request until its vote is in the queue. If a worker has
// not read a request within five seconds (fastcgi_send_timeout in nginx/ratingd.conf), nginx sends
// the request to another worker.
constexpr std::chrono::seconds kMaxTimeToPush{5};
constexpr std::size_t kProbes = 8;  // votes that may wait while the writer is stuck

runtime::Count error_count(WriteError error) {
  switch (error) {
    case WriteError::unavailable:
      return runtime::Count::vote_unavailable;
    case WriteError::queue_full:
      return runtime::Count::vote_queue_full;
    case WriteError::failed:
      break;
  }
  return runtime::Count::vote_failed;
}

}  // namespace

bool VoteQueue::push(const PendingVotes& votes) {
  {
    const base::MutexLock lock(mutex_);
    if (votes.size() > room()) {
      count(runtime::Count::vote_queue_full, votes.size());
      return false;
    }
    waiting_.insert(waiting_.end(), votes.begin(), votes.end());
  }
  pushed_.notify_one();
  return true;
}

std::vector<VoteQueue::WriteResult> VoteQueue::wait_for(const PendingVotes& votes) {
  std::vector<WriteResult> results;
  results.reserve(votes.size());
  const base::MutexLock lock(mutex_);
  for (const auto& vote : votes) {
    for (auto waited = vote->waited_.elapsed(); !vote->result_ && waited < options_.deadline;
         waited = vote->waited_.elapsed()) {
      vote->completed_.wait_for(mutex_, options_.deadline - waited);
    }
    results.push_back(result_or_abandon_locked(*vote));
  }
  return results;
}

VoteQueue::WriteResult VoteQueue::result_or_abandon(PendingVote& vote) {
  const base::MutexLock lock(mutex_);
  return result_or_abandon_locked(vote);
}

VoteQueue::WriteResult VoteQueue::result_or_abandon_locked(PendingVote& vote) {
  if (!vote.result_) {
    vote.is_abandoned_ = true;
    count(runtime::Count::vote_timed_out);
  }
  return vote.result_.value_or(tl::unexpected(WriteError::unavailable));
}

bool VoteQueue::has_room() const {
  const base::MutexLock lock(mutex_);
  return room() > 0;
}

std::size_t VoteQueue::size() const {
  const base::MutexLock lock(mutex_);
  return waiting_.size();
}

bool VoteQueue::wait_for_votes() {
  const base::MutexLock lock(mutex_);
  writing_.reset();
  while (!is_closed_ && waiting_.empty()) pushed_.wait(mutex_);
  return !waiting_.empty();
}

VoteQueue::PendingVotes VoteQueue::take_batch() {
  const base::MutexLock lock(mutex_);
  PendingVotes batch;
  std::size_t ratings = 0;
  while (!waiting_.empty() && ratings < options_.batch_limit) {
    if (check_wanted(waiting_.front())) {
      ratings += 1 + waiting_.front()->request.parts.size();
      batch.push_back(std::move(waiting_.front()));
    }
    waiting_.pop_front();
  }
  writing_.emplace();
  return batch;
}

bool VoteQueue::is_wanted(const std::shared_ptr<PendingVote>& vote) {
  const base::MutexLock lock(mutex_);
  return check_wanted(vote);
}

VoteQueue::PendingVotes VoteQueue::still_wanted(const PendingVotes& votes) {
  const base::MutexLock lock(mutex_);
  PendingVotes wanted;
  for (const auto& vote : votes) {
    if (check_wanted(vote)) wanted.push_back(vote);
  }
  return wanted;
}

void VoteQueue::complete(const PendingVotes& votes, std::span<const WriteResult> results) {
  assert(votes.size() == results.size());
  const base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < votes.size(); ++i) {
    // The metrics count an abandoned vote when it is abandoned, and again if a batch processes it
    // anyway. In the result of a skipped vote, the voter id is 0.
    const bool is_processed = results[i] && results[i]->voter != 0;
    if (is_processed || !votes[i]->is_abandoned_) count(votes[i]->request, results[i]);
    set_result(*votes[i], results[i]);
  }
  tell(votes);
}

void VoteQueue::set_stuck(bool is_stuck) {
  const base::MutexLock lock(mutex_);
  stuck_.reset();
  if (is_stuck) stuck_.emplace();
}

void VoteQueue::close() {
  {
    const base::MutexLock lock(mutex_);
    is_closed_ = true;
  }
  pushed_.notify_one();
}

// Returns how many more votes the queue accepts.
std::size_t VoteQueue::room() const {
  const std::size_t limit = is_stuck() && !waiting_.empty() ? kProbes : options_.queue_limit;
  return limit - std::min(limit, waiting_.size());
}

bool VoteQueue::is_stuck() const {
  const bool is_slow = writing_ && writing_->elapsed() > options_.stuck_after;
  return is_slow || (stuck_ && stuck_->elapsed() < options_.stuck_for);
}

bool VoteQueue::check_wanted(const std::shared_ptr<PendingVote>& vote) {
  const bool is_late = vote->request.stopwatch.elapsed() > options_.deadline + kMaxTimeToPush;
  if (is_late && !vote->is_abandoned_) {
    count(runtime::Count::vote_unavailable);
    set_result(*vote, tl::unexpected(WriteError::unavailable));
    tell({&vote, 1});
    vote->is_abandoned_ = true;
  }
  return !vote->is_abandoned_;
}

// Sets the result only once, because a thread may already have read the first result.
void VoteQueue::set_result(PendingVote& vote, const WriteResult& result) {
  if (!vote.result_) vote.result_ = result;
}

// Wakes the threads waiting for the completed votes in "votes", and calls each listener once.
void VoteQueue::tell(std::span<const std::shared_ptr<PendingVote>> votes) {
  Listener* listener = nullptr;
  std::vector<std::uint64_t> numbers;
  const auto tell_listener = [&] {
    if (!numbers.empty()) listener->on_completed(numbers);
    numbers.clear();
  };
  for (const auto& vote : votes) {
    if (vote->is_abandoned_) continue;  // its listener may no longer exist
    if (vote->listener_ == nullptr) {
      vote->completed_.notify_one();
      continue;
    }
    if (vote->listener_ != listener) tell_listener();
    listener = vote->listener_;
    numbers.push_back(vote->number_);
  }
  tell_listener();
}

void VoteQueue::count(const VoteRequest& request, const WriteResult& result) const {
  if (options_.metrics == nullptr) return;
  if (!result) return options_.metrics->add(error_count(result.error()));
  options_.metrics->add_vote(static_cast<std::size_t>(result->outcome),
                             static_cast<std::size_t>(request.identified_by),
                             is_refusal(result->outcome));
}

void VoteQueue::count(runtime::Count what, std::size_t number) const {
  if (options_.metrics != nullptr) options_.metrics->add(what, number);
}

}  // namespace votes
