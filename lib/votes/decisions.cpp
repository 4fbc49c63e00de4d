#include "votes/decisions.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "model/rating.h"
#include "votes/refusal.h"

namespace votes {
namespace {

using model::RatingKey;
using model::VoterId;

using Suspected = std::map<RatingKey, Reasons>;

RatingKey key_of(const VoteRequest& request, VoterId voter) {
  return {request.key.object, request.key.category, voter};
}

// Returns the outcome of a vote with parts: "stored" if any part was stored, otherwise "withdrawn"
// if any part was withdrawn, and otherwise "unchanged".
VoteResult::Outcome outcome_of(std::span<const VoteResult> results) {
  using enum VoteResult::Outcome;
  for (const auto outcome : {stored, withdrawn, unchanged}) {
    if (std::ranges::find(results, outcome, &VoteResult::outcome) != results.end()) return outcome;
  }
  return results.front().outcome;
}

// If any rating in the vote is part of a burst, returns the reasons for holding all new ratings in
// the vote. Otherwise, returns nothing.
std::optional<Reasons> suspicion_of(VoteSpan vote, const Suspected& suspected) {
  if (suspected.empty()) return std::nullopt;
  Reasons reasons = 0;
  for (const VoteRequest& request : vote) {
    if (const auto found = suspected.find(request.key); found != suspected.end()) {
      reasons |= found->second;
    }
  }
  return reasons == 0 ? std::nullopt : std::optional(reasons);
}

// Treats the votes in "found", which are earlier votes in the same batch, as stored votes.
void add_earlier_votes(const Candidates& found, VoteSpan vote, std::vector<VoterState>& states) {
  for (std::size_t i = 0; i < vote.size(); ++i) {
    const auto earlier = found.votes.find(vote[i].key);
    if (earlier == found.votes.end()) continue;
    const FirstVote& cast = earlier->second.vote;
    states[i].earlier = {cast.value, cast.cast_at};
    states[i].last_rated_at = std::max(states[i].last_rated_at, cast.cast_at);
  }
}

// Returns whether the stored rating is too old to be in a burst with "request".
bool is_old(const std::optional<model::OwnRating>& earlier, const VoteRequest& request) {
  return earlier && earlier->rated_at <= request.received_at - kBurstWindow;
}

// Adds the rating in "request" to "found", unless the rating cannot be part of a burst.
void add_candidate(const VoteRequest& request, const std::optional<model::OwnRating>& earlier,
                   Candidates& found) {
  if (!request.value) return;
  if (is_old(earlier, request) || (earlier && earlier->value == *request.value)) return;
  found.threshold = std::max(found.threshold, request.rules.hold_threshold);
  FirstVote vote{request.received_at, network_in(request.address), request.agent, *request.value};
  const auto [place, is_added] = found.votes.try_emplace(request.key);
  Candidate& candidate = place->second;
  if (is_added) {
    candidate.is_change = earlier.has_value();
  } else {
    vote.agent = candidate.vote.agent;
  }
  candidate.vote = std::move(vote);
}

// Decides the outcome of each vote in a batch, one vote at a time.
class Decider {
 public:
  Decider(BatchRows rows, std::size_t requests) {
    decisions_.rows = std::move(rows);
    decisions_.results.resize(requests);
    decisions_.counted.reserve(requests);
  }

  void decide(VoteSpan vote, std::size_t first, const Suspected& suspected);
  [[nodiscard]] Decisions take() && { return std::move(decisions_); }

 private:
  using Outcome = VoteResult::Outcome;
  using Earlier = std::optional<model::OwnRating>;

  void carry_out(VoteSpan vote, std::span<VoteResult> results, const Suspected& suspected);
  Outcome carry_out(const VoteRequest& request, const Earlier& earlier,
                    const std::optional<Reasons>& suspicion);
  [[nodiscard]] std::optional<Hold> hold_for(const VoteRequest& request, bool is_first,
                                             const std::optional<Reasons>& suspicion) const;
  Outcome set(const VoteRequest& request, const Earlier& earlier, const std::optional<Hold>& hold,
              std::uint16_t agent);
  void withdraw(const RatingKey& key);
  void set_reason(const RatingKey& key, const std::string& reason);
  void note_activity(VoterId voter, base::Time at, bool is_counted);
  void use_limits(const VoteRequest& request, bool is_new_voter);

  Decisions decisions_;
  BatchRows& rows_ = decisions_.rows;
  std::vector<VoterState> states_;  // for the vote that is being processed
};

void Decider::decide(VoteSpan vote, std::size_t first, const Suspected& suspected) {
  const std::span<VoteResult> results = std::span(decisions_.results).subspan(first, vote.size());
  read_states(rows_, vote, states_);
  for (std::size_t i = 0; i < vote.size(); ++i) {
    results[i].voter = vote[i].key.voter;
    if (states_[i].earlier && !vote[i].rates_parts_only) {
      results[i].previous = states_[i].earlier->value;
    }
  }
  if (const auto refusal = find_refusal(vote, states_)) {
    for (VoteResult& result : results) {
      result.outcome = refusal->outcome;
      result.retry_after = refusal->retry_after;
    }
  } else {
    carry_out(vote, results, suspected);
  }
  for (std::size_t i = 0; i < vote.size(); ++i) {
    results[i].own = rows_.own_ratings(vote[i].key.object, vote[i].key.voter);
  }
  results.front().has_reason = rows_.reasons.contains(vote.front().key);
}

// Applies a vote that no rule rejects. Before the call, read_states() must have stored the voter's
// state in "states_".
void Decider::carry_out(VoteSpan vote, std::span<VoteResult> results, const Suspected& suspected) {
  const std::optional<Reasons> suspicion = suspicion_of(vote, suspected);
  bool is_new = false;
  bool is_stored = false;
  for (std::size_t i = 0; i < vote.size(); ++i) {
    const VoteRequest& request = vote[i];
    if (request.rates_parts_only) {
      results[i].outcome = Outcome::nothing_stored;
      continue;
    }
    results[i].outcome = carry_out(request, states_[i].earlier, suspicion);
    is_new = is_new || (request.value && !states_[i].earlier);
    is_stored = is_stored || results[i].outcome == Outcome::stored;
  }
  const VoteRequest& first = vote.front();
  const bool is_new_voter = states_.front().is_new_voter;
  if (is_new) use_limits(first, is_new_voter);
  if (first.visitor && is_stored) {
    decisions_.visitors[first.key.voter] = {first.key.voter, *first.visitor, first.received_at};
  }
  results.front().outcome = outcome_of(results);
  results.front().is_new = is_new;
  results.front().is_of_new_voter = is_new && is_new_voter;
}

// Counts a vote towards the limits. Call this function only for a vote that adds new ratings.
void Decider::use_limits(const VoteRequest& request, bool is_new_voter) {
  rows_.allowances.use(request.rules.of_address);
  if (is_new_voter) rows_.allowances.use(request.rules.new_voters);
  if (request.rules.max_per_day == 0) return;
  ++rows_.voters.at(request.key.voter).ratings;
  decisions_.changed_voters.insert(request.key.voter);
}

// "earlier" is the voter's stored rating or, if there is none, the rating that the request moves to
// this voter.
VoteResult::Outcome Decider::carry_out(const VoteRequest& request, const Earlier& earlier,
                                       const std::optional<Reasons>& suspicion) {
  const std::optional<Hold> hold = hold_for(request, !earlier, suspicion);
  const std::string reason =
      request.reason.empty() ? earlier_reason(rows_, request) : request.reason;
  // A changed or moved rating keeps the user agent of the first vote, so that it stays in the burst
  // in which it was first cast, and stays out of all bursts if it was released.
  const std::uint16_t agent = earlier ? earlier_agent(rows_, request) : request.agent;
  if (request.moved_from) withdraw(key_of(request, *request.moved_from));
  if (request.value) {
    const Outcome outcome = set(request, earlier, hold, agent);
    set_reason(request.key, model::is_low(request.key.category, *request.value) ? reason : "");
    return outcome;
  }
  withdraw(request.key);
  return earlier ? Outcome::withdrawn : Outcome::nothing_stored;
}

// If the rating stored by "request" must be held, returns its row for the ratingd_held table.
// Otherwise, returns nothing. A held rating stays held until it is withdrawn, even if it is moved
// from an anonymous voter to a user.
std::optional<Hold> Decider::hold_for(const VoteRequest& request, bool is_first,
                                      const std::optional<Reasons>& suspicion) const {
  if (is_first) {
    if (!suspicion) return std::nullopt;
    return Hold{*suspicion, request.received_at};
  }
  if (rows_.holds.empty()) return std::nullopt;
  const auto found = rows_.holds.find(earlier_key(rows_, request));
  if (found == rows_.holds.end()) return std::nullopt;
  return found->second;
}

VoteResult::Outcome Decider::set(const VoteRequest& request, const Earlier& earlier,
                                 const std::optional<Hold>& hold, std::uint16_t agent) {
  const RatingKey& key = request.key;
  const std::optional<model::OwnRating> own = rows_.rating_of(key);
  model::OwnRating rating{*request.value, request.received_at};
  std::string address = request.address;
  if (own && own->value == rating.value) return Outcome::unchanged;
  if (earlier) {
    // If the value does not change, the rating keeps its time. If the value changes, the new time
    // is never earlier than the stored time, because a voter's requests are not always stored in
    // the order of arrival.
    const bool is_moved = earlier->value == rating.value;
    rating.rated_at = is_moved ? earlier->rated_at : std::max(rating.rated_at, earlier->rated_at);
    // Old ratings get no address, because the nightly maintenance erases addresses in the order of
    // the ratings' times, and never reads a time again.
    if (is_moved && is_old(earlier, request)) address.clear();
  }
  if (!hold) {
    decisions_.counted.push_back({key, own, rating});
  } else if (rows_.holds.emplace(key, *hold).second) {
    decisions_.saved_holds.insert(key);
    decisions_.deleted_holds.erase(key);
  }
  note_activity(key.voter, rating.rated_at, !hold);
  if (request.rules.cooldown.count() > 0) decisions_.changed_voters.insert(key.voter);
  rows_.ratings[key] = rating;
  if (agent != 0) rows_.agents[key] = agent;
  decisions_.saved[key] = {rating, std::move(address), agent};
  decisions_.deleted.erase(key);
  return Outcome::stored;
}

// Deletes the rating stored under "key", if any.
void Decider::withdraw(const RatingKey& key) {
  const auto found = rows_.ratings.find(key);
  if (found == rows_.ratings.end()) return;
  decisions_.withdraws = true;
  if (rows_.holds.erase(key) > 0) {
    decisions_.saved_holds.erase(key);
    decisions_.deleted_holds.insert(key);
  } else {
    decisions_.counted.push_back({key, found->second, {}});
  }
  rows_.ratings.erase(found);
  rows_.agents.erase(key);
  decisions_.saved.erase(key);
  decisions_.deleted.insert(key);
  set_reason(key, "");
}

// Sets the reason for a rating, or removes the stored reason if "reason" is empty. If the rating is
// written, even an unchanged reason is written, because the reason's row contains the rating's
// time.
void Decider::set_reason(const RatingKey& key, const std::string& reason) {
  const auto found = rows_.reasons.find(key);
  if (reason.empty()) {
    if (found == rows_.reasons.end()) return;
    rows_.reasons.erase(found);
  } else {
    const bool is_stored = found != rows_.reasons.end() && found->second == reason;
    if (is_stored && !decisions_.saved.contains(key)) return;
    rows_.reasons[key] = reason;
  }
  decisions_.changed_reasons.insert(key);
}

void Decider::note_activity(VoterId voter, base::Time at, bool is_counted) {
  VoterRow& row = rows_.voters.at(voter);
  row.last_rated_at = std::max(row.last_rated_at, at);
  if (!is_counted) return;
  const base::Day day = rows_.zones.day_of(at);
  if (day <= row.last_day) return;
  row.last_day = day;
  row.ratings = 0;
  decisions_.changed_voters.insert(voter);
}

}  // namespace

Allowances allowances_for(const BatchRows& rows, std::span<const VoteRequest> requests) {
  Allowances allowances;
  // If any vote in the batch deletes a rating, all ratings in the batch are treated as new, because
  // a later vote may add the deleted rating again.
  const bool deletes_ratings = std::ranges::any_of(requests, [](const VoteRequest& request) {
    return (!request.value && !request.rates_parts_only) || request.moved_from;
  });
  for_each_vote(requests, [&](VoteSpan vote, std::size_t) {
    if (!sets_ratings(vote)) return;
    const Rules& rules = vote.front().rules;
    const bool may_be_new_rating = std::ranges::any_of(vote, [&](const VoteRequest& request) {
      return request.value && (deletes_ratings || !rows.ratings.contains(request.key));
    });
    if (may_be_new_rating) allowances.reserve(rules.of_address);
    if (!model::is_anonymous(vote.front().key.voter)) return;
    if (!deletes_ratings && !is_of_new_voter(rows, vote)) return;
    allowances.reserve(rules.new_voters);
  });
  return allowances;
}

Candidates candidates(const BatchRows& rows, std::span<const VoteRequest> requests) {
  Candidates found;
  std::vector<VoterState> states;
  for_each_vote(requests, [&](VoteSpan vote, std::size_t) {
    if (!sets_ratings(vote) || vote.front().rules.hold_threshold == 0) return;
    read_states(rows, vote, states);
    add_earlier_votes(found, vote, states);
    if (find_refusal(vote, states)) return;
    for (std::size_t i = 0; i < vote.size(); ++i) add_candidate(vote[i], states[i].earlier, found);
  });
  return found;
}

Decisions decide(BatchRows rows, std::span<const VoteRequest> requests, const Suspected& suspected,
                 const std::vector<bool>& wanted) {
  assert(wanted.size() == requests.size());
  Decider decider(std::move(rows), requests.size());
  for_each_vote(requests, [&](VoteSpan vote, std::size_t first) {
    if (wanted[first]) decider.decide(vote, first, suspected);
  });
  return std::move(decider).take();
}

}  // namespace votes
