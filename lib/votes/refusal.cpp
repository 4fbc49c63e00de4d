#include "votes/refusal.h"

#include <algorithm>
#include <string>

namespace votes {
namespace {

using model::Revote;
using Outcome = VoteResult::Outcome;
using std::chrono::seconds;

// Keeps the refusal with the longest waiting time of all refusals passed to consider().
class LongestRefusal {
 public:
  void consider(Outcome outcome, seconds wait) {
    if (wait.count() > 0 && (!refusal_ || wait > refusal_->retry_after)) refusal_ = {outcome, wait};
  }
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  std::optional<Refusal> refusal_;
};

seconds wait_until(base::Time free_at, base::Time now) {
  return std::chrono::ceil<seconds>(free_at - now);
}

seconds wait_for(const SharedLimit& limit, std::int64_t used, base::Time now) {
  if (limit.limit == 0) return seconds(0);
  if (limit.counter.empty()) return limit.wait;
  return used < limit.limit ? seconds(0) : wait_until(limit.ends_at, now);
}

void consider_revote(const VoteRequest& request, const model::OwnRating& earlier,
                     LongestRefusal& longest) {
  const Rules& rules = request.rules;
  // If revote_cooldown is 0, every change is allowed, even if the stored rating is newer than the
  // request.
  if (rules.revote != Revote::cooldown || rules.revote_cooldown.count() == 0) return;
  if (is_ahead(earlier.rated_at, request.received_at)) return;
  longest.consider(Outcome::cooling_down,
                   wait_until(earlier.rated_at + rules.revote_cooldown, request.received_at));
}

void consider_cooldown(const VoteRequest& request, const VoterState& voter_state,
                       LongestRefusal& longest) {
  if (request.rules.cooldown.count() == 0) return;
  if (is_ahead(voter_state.last_rated_at, request.received_at)) return;
  longest.consider(Outcome::too_soon, wait_until(voter_state.last_rated_at + request.rules.cooldown,
                                                 request.received_at));
}

void consider_limits(const VoteRequest& request, const VoterState& voter_state,
                     LongestRefusal& longest) {
  const Rules& rules = request.rules;
  const base::Time now = request.received_at;
  if (rules.max_per_day > 0 && voter_state.ratings_today >= rules.max_per_day) {
    longest.consider(Outcome::too_many_of_voter, wait_until(voter_state.tomorrow, now));
  }
  longest.consider(Outcome::too_many_of_address,
                   wait_for(rules.of_address, voter_state.of_address, now));
  if (!voter_state.is_new_voter) return;
  longest.consider(Outcome::too_many_new_voters,
                   wait_for(rules.new_voters, voter_state.new_voters, now));
}

// Applies the "revote" rule only if "is_revote" is true.
std::optional<Refusal> refusal_of(const VoteRequest& request, const VoterState& voter_state,
                                  bool is_revote) {
  const auto& earlier = voter_state.earlier;
  const bool is_same = earlier && request.value == earlier->value;
  if (is_same && !voter_state.has_other_reason) return std::nullopt;
  if (earlier && is_revote && request.rules.revote == Revote::never) {
    return Refusal{Outcome::already_rated};
  }
  LongestRefusal longest;
  if (earlier && is_revote) consider_revote(request, *earlier, longest);
  if (request.value) consider_cooldown(request, voter_state, longest);
  if (request.value && !earlier) consider_limits(request, voter_state, longest);
  return longest.refusal();
}

VoterState voter_state_of(const BatchRows& rows, const VoteRequest& request) {
  VoterState state;
  state.earlier = rows.rating_of(request.key);
  if (!state.earlier && request.moved_from) {
    state.earlier = rows.rating_of(earlier_key(rows, request));
  }
  const VoterRow& voter = rows.voters.at(request.key.voter);
  state.last_rated_at = voter.last_rated_at;
  if (request.rules.max_per_day > 0) {
    const base::Day day = rows.zones.day_of(request.received_at);
    state.ratings_today = day > voter.last_day ? 0 : voter.ratings;
    state.tomorrow = rows.zones.start_of(std::max(day, voter.last_day) + std::chrono::days(1));
  }
  state.of_address = rows.allowances.used(request.rules.of_address);
  state.new_voters = rows.allowances.used(request.rules.new_voters);
  if (!request.reason.empty()) {
    const std::string reason = earlier_reason(rows, request);
    state.has_other_reason = !reason.empty() && reason != request.reason;
  }
  return state;
}

// Returns whether the vote rates both the object and a facet that the voter has not rated before.
bool adds_facet(VoteSpan vote, std::span<const VoterState> states) {
  for (std::size_t i = 1; i < vote.size(); ++i) {
    if (vote[i].value && !states[i].earlier) return vote.front().value.has_value();
  }
  return false;
}

}  // namespace

bool is_ahead(base::Time rated_at, base::Time now) {
  return rated_at > now + std::chrono::minutes(1);
}

void read_states(const BatchRows& rows, VoteSpan vote, std::vector<VoterState>& states) {
  states.clear();
  const bool is_new_voter = is_of_new_voter(rows, vote);
  for (const VoteRequest& request : vote) {
    states.push_back(voter_state_of(rows, request));
    states.back().is_new_voter = is_new_voter;
  }
}

std::optional<Refusal> find_refusal(VoteSpan vote, std::span<const VoterState> states) {
  const bool adds = adds_facet(vote, states);
  LongestRefusal longest;
  for (std::size_t i = 0; i < vote.size(); ++i) {
    if (vote[i].rates_parts_only) continue;
    const bool is_revote = i > 0 || !adds;
    const auto refusal = refusal_of(vote[i], states[i], is_revote);
    if (!refusal) continue;
    if (refusal->retry_after.count() == 0) return refusal;  // waiting does not help
    longest.consider(refusal->outcome, refusal->retry_after);
  }
  return longest.refusal();
}

}  // namespace votes
