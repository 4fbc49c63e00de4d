#include "fcgi/waiting_requests.h"

#include <algorithm>
#include <utility>

namespace fcgi {

using votes::VoteQueue;

WaitingRequests::WaitingRequests(std::chrono::milliseconds deadline, std::function<void()> wake)
    : deadline_(deadline), wake_(std::move(wake)) {}

std::shared_ptr<VoteQueue::PendingVote> WaitingRequests::add(std::unique_ptr<OpenRequest> request,
                                                             votes::VoteRequest vote_request) {
  const base::MutexLock lock(mutex_);
  const std::uint64_t number = ++last_number_;
  auto vote = std::make_shared<VoteQueue::PendingVote>(std::move(vote_request), this, number);
  request->vote = vote;
  arrivals_.push_back({number, {}});  // added first, so that each request has a deadline
  requests_.emplace(number, std::move(request));
  return vote;
}

std::unique_ptr<OpenRequest> WaitingRequests::take(const VoteQueue::PendingVote& vote) {
  const base::MutexLock lock(mutex_);
  Requests requests;
  take(vote.number(), requests);
  return requests.empty() ? nullptr : std::move(requests.front());
}

WaitingRequests::Requests WaitingRequests::take_due() {
  const base::MutexLock lock(mutex_);
  Requests due;
  for (const std::uint64_t number : completed_) take(number, due);
  completed_.clear();
  while (!arrivals_.empty()) {
    const Arrival& oldest = arrivals_.front();
    if (oldest.waited.elapsed() >= deadline_) {
      take(oldest.number, due);
    } else if (requests_.contains(oldest.number)) {
      break;
    }
    arrivals_.pop_front();
  }
  return due;
}

std::size_t WaitingRequests::size() const {
  const base::MutexLock lock(mutex_);
  return requests_.size();
}

std::chrono::milliseconds WaitingRequests::until_next_deadline(
    std::chrono::milliseconds longest) const {
  const base::MutexLock lock(mutex_);
  if (arrivals_.empty()) return longest;
  const auto rest = deadline_ - arrivals_.front().waited.elapsed();
  return std::clamp(rest, std::chrono::milliseconds(0), longest);
}

void WaitingRequests::on_completed(std::span<const std::uint64_t> numbers) {
  {
    const base::MutexLock lock(mutex_);
    completed_.insert(completed_.end(), numbers.begin(), numbers.end());
  }
  wake_();
}

void WaitingRequests::take(std::uint64_t number, Requests& requests) {
  const auto found = requests_.find(number);
  if (found == requests_.end()) return;
  requests.push_back(std::move(found->second));
  requests_.erase(found);
}

}  // namespace fcgi
