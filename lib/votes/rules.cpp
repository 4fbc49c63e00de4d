#include "votes/rules.h"

namespace votes {
namespace {

using model::Revote;
using Outcome = VoteResult::Outcome;
using std::chrono::seconds;

// The refusal that lasts longest of those considered.
class Longest {
 public:
  void consider(Outcome outcome, seconds wait) {
    if (wait.count() > 0 && (!refusal_ || wait > refusal_->retry_after)) refusal_ = {outcome, wait};
  }
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  std::optional<Refusal> refusal_;
};

// By a clock that was ahead, and has been set back since, nobody can tell how long ago it was: then
// nobody is kept waiting. The clocks of several hosts agree to a minute.
bool is_ahead(base::Time rated_at, base::Time now) {
  return rated_at > now + std::chrono::minutes(1);
}

seconds wait_until(base::Time free_at, base::Time now) {
  return std::chrono::ceil<seconds>(free_at - now);
}

seconds wait_for(const Allowance& allowance, std::int64_t used, base::Time now) {
  if (allowance.limit == 0) return seconds(0);
  if (allowance.counter.empty()) return allowance.wait;
  return used < allowance.limit ? seconds(0) : wait_until(allowance.ends_at, now);
}

void consider_revote(const VoteRequest& request, const model::OwnRating& earlier,
                     Longest& longest) {
  const Rules& rules = request.rules;
  // Without a cooldown a request that was overtaken by a later one passes, too.
  if (rules.revote != Revote::cooldown || rules.revote_cooldown.count() == 0) return;
  if (is_ahead(earlier.rated_at, request.received_at)) return;
  longest.consider(Outcome::cooling_down,
                   wait_until(earlier.rated_at + rules.revote_cooldown, request.received_at));
}

void consider_cooldown(const VoteRequest& request, const VoterState& voter_state,
                       Longest& longest) {
  if (request.rules.cooldown.count() == 0) return;
  if (is_ahead(voter_state.last_rated_at, request.received_at)) return;
  longest.consider(Outcome::too_soon, wait_until(voter_state.last_rated_at + request.rules.cooldown,
                                                 request.received_at));
}

void consider_allowances(const VoteRequest& request, const VoterState& voter_state,
                         Longest& longest) {
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
  longest.consider(Outcome::too_many_program_voters,
                   wait_for(rules.program_voters, voter_state.program_voters, now));
}

}  // namespace

std::optional<Refusal> find_refusal(const VoteRequest& request, const VoterState& voter_state) {
  const auto& earlier = voter_state.earlier;
  if (earlier && request.value == earlier->value) return std::nullopt;
  if (earlier && request.rules.revote == Revote::never) return Refusal{Outcome::already_rated};

  Longest longest;
  if (earlier) consider_revote(request, *earlier, longest);
  if (request.value) consider_cooldown(request, voter_state, longest);
  if (request.value && !earlier) consider_allowances(request, voter_state, longest);
  return longest.refusal();
}

base::Time window_end(base::Time at, std::chrono::hours window) {
  const auto begun = at.time_since_epoch() / window;
  return base::Time(window * (begun + 1));
}

}  // namespace votes
