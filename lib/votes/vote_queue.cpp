#include "votes/vote_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace votes {
namespace {

// How long a request may take from its arrival until its vote is in the queue. It is less than the
// time after which nginx asks another worker.
constexpr std::chrono::seconds kMaxTimeToPush{5};
constexpr std::size_t kProbes = 8;  // votes that may wait while the writer is stuck

base::Count count_of(WriteError error) {
  switch (error) {
    case WriteError::unavailable:
      return base::Count::vote_unavailable;
    case WriteError::queue_full:
      return base::Count::vote_queue_full;
    case WriteError::failed:
      break;
  }
  return base::Count::vote_failed;
}

base::Count count_of(const VoteQueue::Outcome& outcome) {
  return outcome ? votes::count_of(outcome->outcome) : count_of(outcome.error());
}

}  // namespace

std::optional<VoteQueue::PendingVotes> VoteQueue::push(std::vector<VoteRequest> requests) {
  PendingVotes votes;
  votes.reserve(requests.size());
  for (VoteRequest& request : requests) {
    votes.push_back(std::make_shared<PendingVote>(std::move(request)));
  }
  {
    const base::MutexLock lock(mutex_);
    if (votes.size() > room()) {
      count(base::Count::vote_queue_full, votes.size());
      return std::nullopt;
    }
    waiting_.insert(waiting_.end(), votes.begin(), votes.end());
  }
  pushed_.notify_one();
  return votes;
}

std::vector<VoteQueue::Outcome> VoteQueue::wait_for(const PendingVotes& votes) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(votes.size());
  const base::MutexLock lock(mutex_);
  for (const auto& vote : votes) {
    for (auto waited = vote->waited_.elapsed(); !vote->outcome_ && waited < options_.deadline;
         waited = vote->waited_.elapsed()) {
      vote->completed_.wait_for(mutex_, options_.deadline - waited);
    }
    if (!vote->outcome_) {
      vote->is_abandoned_ = true;
      count(base::Count::vote_timed_out);
    }
    outcomes.push_back(vote->outcome_.value_or(tl::unexpected(WriteError::unavailable)));
  }
  return outcomes;
}

bool VoteQueue::has_room() const {
  const base::MutexLock lock(mutex_);
  return room() > 0;
}

std::size_t VoteQueue::size() const {
  const base::MutexLock lock(mutex_);
  return waiting_.size();
}

VoteQueue::PendingVotes VoteQueue::take_batch() {
  const base::MutexLock lock(mutex_);
  writing_.reset();
  PendingVotes batch;
  while (batch.empty()) {
    while (!is_closed_ && waiting_.empty()) pushed_.wait(mutex_);
    if (waiting_.empty()) return batch;
    while (!waiting_.empty() && batch.size() < options_.batch_limit) {
      if (check_wanted(*waiting_.front())) batch.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }
  writing_.emplace();
  return batch;
}

bool VoteQueue::is_wanted(PendingVote& vote) {
  const base::MutexLock lock(mutex_);
  return check_wanted(vote);
}

VoteQueue::PendingVotes VoteQueue::still_wanted(const PendingVotes& votes) {
  const base::MutexLock lock(mutex_);
  PendingVotes wanted;
  for (const auto& vote : votes) {
    if (check_wanted(*vote)) wanted.push_back(vote);
  }
  return wanted;
}

void VoteQueue::complete(const PendingVotes& votes, std::span<const Outcome> outcomes) {
  assert(votes.size() == outcomes.size());
  const base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < votes.size(); ++i) {
    // An abandoned vote was counted when it was abandoned. If it was decided nevertheless, its
    // outcome is counted, too. A result without a voter was not decided: the batch skipped it.
    const bool is_decided = outcomes[i] && outcomes[i]->voter != 0;
    if (is_decided || !votes[i]->is_abandoned_) count(count_of(outcomes[i]));
    complete_one(*votes[i], outcomes[i]);
  }
}

void VoteQueue::set_blocked(bool is_blocked) {
  const base::MutexLock lock(mutex_);
  blocked_.reset();
  if (is_blocked) blocked_.emplace();
}

void VoteQueue::close() {
  {
    const base::MutexLock lock(mutex_);
    is_closed_ = true;
  }
  pushed_.notify_one();
}

// How many more votes may be pushed.
std::size_t VoteQueue::room() const {
  const std::size_t limit = is_stuck() && !waiting_.empty() ? kProbes : options_.queue_limit;
  return limit - std::min(limit, waiting_.size());
}

bool VoteQueue::is_stuck() const {
  const bool is_slow = writing_ && writing_->elapsed() > options_.stuck_after;
  return is_slow || (blocked_ && blocked_->elapsed() < options_.stuck_for);
}

bool VoteQueue::check_wanted(PendingVote& vote) {
  const bool is_late = vote.request.asked.elapsed() > options_.deadline + kMaxTimeToPush;
  if (is_late && !vote.is_abandoned_) {
    vote.is_abandoned_ = true;
    count(base::Count::vote_unavailable);
    complete_one(vote, tl::unexpected(WriteError::unavailable));
  }
  return !vote.is_abandoned_;
}

// Does not replace an earlier outcome: the waiting thread may have read it already.
void VoteQueue::complete_one(PendingVote& vote, const Outcome& outcome) {
  if (!vote.outcome_) vote.outcome_ = outcome;
  vote.completed_.notify_one();
}

void VoteQueue::count(base::Count what, std::size_t number) const {
  if (options_.metrics != nullptr) options_.metrics->add(what, number);
}

}  // namespace votes
